import Foundation
public import Domain
import Projections

/// Puts pseudonyms in place of all that an event's schema does not name as safe, so that a log
/// can leave the house. Equal texts get equal pseudonyms; those of values have the same length in
/// bytes, with letters for letters and digits for digits: what is folded from them differs in these
/// texts, and where a fold chooses by bytes, such as between two reports of one moment.
public struct Redaction: Sendable {
    /// Bytes that a key has at least.
    public static let keyBytesMin = 16

    private let pseudonyms: Pseudonyms

    /// - Parameter key: secret; with the same one, texts get the same pseudonyms again.
    public init(key: [UInt8]) {
        precondition(key.count >= Self.keyBytesMin, "a short key")
        pseudonyms = Pseudonyms(key: key)
    }

    /// What an activity is called in the export.
    public func name(of activity: ActivityID) -> ActivityID {
        ActivityID(rawValue: pseudonyms.name(activity.rawValue.utf8))
    }

    /// Positions, versions and times stay, and so does the source of what Islet's own clock
    /// reports.
    func redacted(_ recorded: RecordedEvent, _ tally: inout RedactionTally) -> RecordedEvent {
        var other = recorded
        let event = recorded.event
        other.event.activityID = name(of: event.activityID)
        other.event.id = pseudonyms.name(event.id.utf8)
        if event.source != ActivityClock.source {
            other.event.source = pseudonyms.name(event.source.utf8)
        }
        // They name hosts and requests, and nothing is folded from them.
        other.event.extensions = nil
        if !knows(event.type) { other.event.type = pseudonyms.name(event.type.utf8) }
        other.event.data = Data(
            redacted(
                data: Array(event.data), of: other.event.type, event.schemaVersion, &tally))
        return other
    }

    /// - Returns: an empty object where the data are not JSON, as they always are in a log.
    func redacted(
        data: [UInt8], of type: String, _ schemaVersion: Int, _ tally: inout RedactionTally
    ) -> [UInt8] {
        var redaction = DataRedaction(
            pseudonyms: pseudonyms, type: type, fields: fields(of: type, schemaVersion),
            tally: tally)
        guard let bytes = redaction.redacted(data) else {
            tally.valuesMasked += 1
            return Array("{}".utf8)
        }
        tally = redaction.tally
        return bytes
    }

    private func knows(_ type: String) -> Bool {
        ActivityCatalog.standard.eventType(named: type) != nil
            || ActivityClock.Event(rawValue: type) != nil
    }

    /// Those that an event of the type may have; none of a type or version that nobody knows.
    private func fields(of type: String, _ schemaVersion: Int) -> [String: EventField] {
        let type = ActivityCatalog.standard.eventType(named: type)
        let fields = type?.fields(of: schemaVersion) ?? []
        return Dictionary(fields.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
    }
}

/// What a redaction has masked. Has no text of the log's: members that no schema names are named
/// by the pseudonyms that they have in the export, since their names may name people too.
public struct RedactionTally: Hashable, Codable, Sendable {
    /// A member that the type's schema does not name.
    public struct Unlisted: Hashable, Codable, Sendable {
        /// Of the events.
        public var type: String
        /// Where it is in the data, as a JSON pointer of pseudonyms.
        public var path: String
    }

    /// Values of members in the data.
    public internal(set) var valuesMasked = 0
    /// Those of them whose member no schema names.
    public internal(set) var valuesUnlisted = 0
    /// The first of them.
    public internal(set) var unlisted: [Unlisted] = []
    /// There are more than are named.
    public internal(set) var hasMoreUnlisted = false

    private enum CodingKeys: String, CodingKey {
        case valuesMasked = "valuesCovered"
        case valuesUnlisted, unlisted, hasMoreUnlisted
    }

    public init() {}

    mutating func note(_ member: Unlisted) {
        guard !unlisted.contains(member) else { return }
        guard unlisted.count < Limits.unlistedMembersMax else { return hasMoreUnlisted = true }
        unlisted.append(member)
    }
}
