public import Domain
import Foundation

/// Puts pseudonyms in the place of all that an event's schema does not name as safe, so that a log
/// can leave the house. Equal texts get equal pseudonyms; those of values have the same length in
/// bytes, with letters for letters and digits for digits: what is folded from them differs in these
/// texts and in nothing else.
public struct Redaction: Sendable {
    /// Bytes that a key has at least.
    public static let keyBytesMin = 16

    private let rules: RedactionRules
    private let pseudonyms: Pseudonyms

    /// - Parameters:
    ///   - key: secret; with the same one, texts get the same pseudonyms again.
    ///   - rules: an event of a type that they do not know is covered as a whole.
    public init(key: [UInt8], rules: RedactionRules) {
        precondition(key.count >= Self.keyBytesMin, "a short key")
        pseudonyms = Pseudonyms(key: key)
        self.rules = rules
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
        if !rules.knows(event.type) { other.event.type = pseudonyms.name(event.type.utf8) }
        other.event.data = Data(
            redacted(
                data: Array(event.data), of: other.event.type, event.schemaVersion, &tally))
        return other
    }

    /// - Returns: an empty object where the data are not JSON, as they always are in a log.
    func redacted(
        data: [UInt8], of type: String, _ schemaVersion: Int, _ tally: inout RedactionTally
    ) -> [UInt8] {
        var text = RedactedText(
            data, pseudonyms, type: type,
            members: rules.members(of: type, schemaVersion: schemaVersion), tally: tally)
        guard let bytes = text.redacted() else {
            tally.valuesCovered += 1
            return Array("{}".utf8)
        }
        tally = text.tally
        return bytes
    }
}
