public import Domain
public import EventStore
import Foundation
import JSON
import Projections

/// Seals what is personal in a tenant's events on its way into an archive, and opens it on its way
/// back. To destroy an activity's key is to erase it in every archive that there is.
public struct SubjectSeals: Sendable {
    private let store: any ErasureStore
    private let tenant: TenantID
    private static let personal = PersonalData(ActivityCatalog.standard.eventTypes)

    public init(_ store: any ErasureStore, of tenant: TenantID) {
        self.store = store
        self.tenant = tenant
    }

    /// - Parameter readAgain: gives the same events as they are now. What was erased since they
    ///   were read first must not be sealed with a key that was made after that.
    func sealed(
        _ events: [RecordedEvent],
        readAgain: () async throws(ArchiveError) -> [RecordedEvent]
    ) async throws(ArchiveError) -> [RecordedEvent] {
        let subjects = events.filter { hasPersonalData($0.event) }.map(\.event.activityID)
        guard !subjects.isEmpty else { return events }
        let keys = try await keys(subjects, isMaking: true)
        return try await readAgain().map { recorded in
            let event = recorded.event
            let key = SubjectKey(keys[event.activityID], of: event.activityID)
            let data = Self.personal.replacing(
                in: event.data, of: event.type, schemaVersion: event.schemaVersion
            ) { PersonalData.isErased($0) ? $0 : key?.sealed($0) ?? .null }
            guard let data else { return recorded }
            var sealed = recorded
            sealed.event.data = data
            return sealed
        }
    }

    /// Beside what was erased.
    func hasPersonalData(_ event: NewEvent) -> Bool {
        let other = Self.personal.replacing(
            in: event.data, of: event.type, schemaVersion: event.schemaVersion
        ) { PersonalData.isErased($0) ? $0 : .null }
        return other != nil
    }

    /// Rows of the ledger and of cards, each with what is personal in it sealed as one.
    /// - Parameter read: gives the rows, one JSON object each.
    func sealed(
        recordsOf activities: [ActivityID],
        _ read: () async throws(ArchiveError) -> [String]
    ) async throws(ArchiveError) -> [String] {
        // Made before the rows are read, as above.
        let keys = try await keys(activities, isMaking: true)
        return try await read().map { record in
            guard var row = try? JSONParser.parse(Array(record.utf8), isStrict: false),
                case .object(let members)? = row["row"], let name = row["row"]?["activity_id"]?.text
            else { return "{}" }
            let activity = ActivityID(rawValue: name)
            let hidden = members.filter { Self.personalMembers.contains($0.name) }
            guard !hidden.isEmpty else { return record }
            var rest = JSON.object(members.filter { !Self.personalMembers.contains($0.name) })
            rest["sealed"] = SubjectKey(keys[activity], of: activity)?.sealed(.object(hidden))
            row["row"] = rest
            return String(decoding: row.bytes, as: UTF8.self)
        }
    }

    /// Members of a row that may have what somebody is called, or that tell of their phone.
    private static let personalMembers = Set(
        ["alert", "content_state", "news", "reason"] + CardRecord.phoneMembers)

    /// - Returns: the events, and how many of their values could not be opened.
    func opened(
        _ events: [RecordedEvent]
    ) async throws(ArchiveError) -> (events: [RecordedEvent], unopened: Int) {
        let keys = try await keys(events.map(\.event.activityID), isMaking: false)
        return RecordedEvent.opened(events, orElse: PersonalData.erasedPrefix) {
            SubjectKey(keys[$0], of: $0)
        }
    }

    /// - Returns: those with a value that is sealed and that no key here opens.
    func unopened(_ events: [RecordedEvent]) async throws(ArchiveError) -> [RecordedEvent] {
        let keys = try await keys(events.map(\.event.activityID), isMaking: false)
        return events.filter { recorded in
            let activity = recorded.event.activityID
            let key = SubjectKey(keys[activity], of: activity)
            return recorded.opened(by: key, orElse: PersonalData.erasedPrefix).unopened > 0
        }
    }

    private func keys(
        _ activities: [ActivityID], isMaking: Bool
    ) async throws(ArchiveError) -> [ActivityID: [UInt8]] {
        try await asked(try await store.keys(tenant, activities, isMaking: isMaking))
    }
}

extension RecordedEvent {
    /// With what a key opens, and marks in place of what it does not.
    /// - Returns: the event, and how many of its values could not be opened.
    func opened(by key: SubjectKey?, orElse mark: String) -> (event: RecordedEvent, unopened: Int) {
        var opened = self
        var unopened = 0
        let data = Self.anything.replacing(in: event.data, of: "", schemaVersion: 1) { value in
            guard let found = SubjectKey.opened(value, by: key, orElse: mark) else { return value }
            if !found.isOpened { unopened += 1 }
            return found.value
        }
        if let data { opened.event.data = data }
        return (opened, unopened)
    }

    /// Likewise of several.
    static func opened(
        _ events: [RecordedEvent], orElse mark: String, _ key: (ActivityID) -> SubjectKey?
    ) -> (events: [RecordedEvent], unopened: Int) {
        let opened = events.map { $0.opened(by: key($0.event.activityID), orElse: mark) }
        return (opened.map { $0.event }, opened.reduce(0) { $0 + $1.unopened })
    }

    /// Which members are sealed is said by their values.
    private static let anything = PersonalData([])
}
