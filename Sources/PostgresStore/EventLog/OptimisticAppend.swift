import Domain
import EventStore
import Postgres

/// A batch of one tenant that is recorded whole or not at all, without asking what goes wrong.
///
/// It takes one statement without a function call around it, and one before it where the log's head
/// is not known. It looks up only those last versions that this node does not know. Of what
/// `append_events` costs Postgres that is a third for one event, and two thirds for a hundred.
///
/// Nothing is recorded if an event is in the log already, if the head is another than expected, or
/// if the tenant is unknown. Then `append_events` finds out what it is. None of this is an error of
/// the statement, since Postgres would write each into its log.
struct OptimisticAppend {
    let tenant: TenantID
    let events: [NewEvent]
    /// What the log's head has to be like; nil when anything is well, because nothing is taken as
    /// known.
    let expectedHead: (position: Int64, tag: Int64)?
    /// The tag that it gives the head.
    private let tag: Int64
    /// Activities whose last version has to be looked up, each once.
    private var unknown: [ActivityID] = []
    /// Per event the number of its activity in `unknown`, from 1; 0 if its version is known.
    private var lookupNumbers: [Int32] = []
    /// Per event its version; if its activity is in `unknown`, relative to the version looked up.
    private var versions: [Int64] = []
    /// What the last event of each activity has in `lookupNumbers` and `versions`.
    private var activities: [ActivityID: (lookupNumber: Int32, version: Int64)] = [:]

    /// - Parameter head: what is known of the tenant's log, if anything.
    /// - Returns: nil when an event expects a version which its activity is not known to be at, or
    ///   is there twice.
    init?(_ requests: [AppendRequest], head: CachedLogHead?, tag: Int64) {
        guard let tenant = requests.first?.tenant else { return nil }
        self.tenant = tenant
        self.tag = tag
        expectedHead = head.map { ($0.position, $0.tag) }
        events = requests.count == 1 ? requests[0].events : requests.flatMap(\.events)
        if Self.hasDuplicates(events) { return nil }
        lookupNumbers.reserveCapacity(events.count)
        versions.reserveCapacity(events.count)
        for index in events.indices {
            let activity = events[index].activityID
            var (lookupNumber, version) =
                activities[activity]
                ?? lookUpVersion(of: activity, in: head)
            if let expectedVersion = events[index].expectedVersion,
                lookupNumber > 0 || expectedVersion != version
            {
                return nil
            }
            version += 1
            activities[activity] = (lookupNumber, version)
            lookupNumbers.append(lookupNumber)
            versions.append(version)
        }
    }

    /// Whether two events may have one idempotency key, by their hashes alone: a collision only
    /// costs the call of `append_events`.
    private static func hasDuplicates(_ events: [NewEvent]) -> Bool {
        guard events.count > 1 else { return false }
        var known = Set<Int>(minimumCapacity: events.count)
        return events.indices.contains { index in
            var hasher = Hasher()
            events[index].source.hashBytes(into: &hasher)
            events[index].id.hashBytes(into: &hasher)
            return !known.insert(hasher.finalize()).inserted
        }
    }

    /// From what is known of the head, else by the statement.
    private mutating func lookUpVersion(
        of activity: ActivityID, in head: CachedLogHead?
    ) -> (lookupNumber: Int32, version: Int64) {
        if let version = head?.version(of: activity) { return (0, version) }
        unknown.append(activity)
        return (Int32(unknown.count), 0)
    }

    /// What moves the log's head.
    private var head: [Parameter] {
        [
            .tenant(tenant), .int8(Int64(events.count)), .int8(tag), .int8(expectedHead?.position),
            .int8(expectedHead?.tag),
        ]
    }

    /// The last one is `statement`.
    var statements: [Statement] {
        expectedHead == nil
            ? [Statement(Self.lockHead, [.tenant(tenant)]), statement] : [statement]
    }

    private var statement: Statement {
        if events.count == 1, unknown.isEmpty { return Statement(Self.one, head + row) }
        return Statement(Self.many, head + columns)
    }

    /// By index, since to walk along the events would copy each of them whole for each column.
    private var columns: [Parameter] {
        let indices = events.indices.lazy
        return [
            .texts(indices.map { events[$0].activityID.rawValue }), .int8s(versions),
            .texts(indices.map { events[$0].source }), .texts(indices.map { events[$0].id }),
            .texts(indices.map { events[$0].type }),
            .int4s(indices.map { Int32(clamping: events[$0].schemaVersion) }),
            .timestamps(indices.map { events[$0].occurredAt.timestamp }),
            .jsonbs(indices.map { events[$0].data }),
            .jsonbs(indices.map { events[$0].extensions }),
            .texts(unknown.lazy.map(\.rawValue)), .int4s(lookupNumbers),
        ]
    }

    /// The first event, as far as `one` asks, in the order of `columns`.
    private var row: [Parameter] {
        let event = events[0]
        return [
            .activity(event.activityID), .int8(versions[0]), .text(event.source),
            .text(event.id), .text(event.type), .int4(Int32(clamping: event.schemaVersion)),
            .moment(event.occurredAt), .jsonb(event.data), .jsonb(event.extensions),
        ]
    }

    /// To be called before it is sent, so that the next batch can be sent behind it.
    func assumeSuccess(in heads: inout LogHeadCache) {
        guard let expectedHead else { return }
        heads.expect(
            tenant, after: expectedHead.position + Int64(events.count), tag: tag,
            versions: activities.lazy.filter { $0.value.lookupNumber == 0 }
                .map { ($0.key, $0.value.version) },
            lookedUp: unknown)
    }

    /// - Returns: nil when the head is another, or the tenant unknown: nothing was recorded.
    func results(
        _ rows: Rows, notingIn heads: inout LogHeadCache
    ) throws(PostgresError) -> [AppendResult]? {
        guard let row = rows.first else { return nil }
        let lastVersions = try row.optional(1, as: ColumnArray<Int64>.self)?.values ?? []
        guard lastVersions.count == unknown.count else {
            throw .decoding(column: "versions", expected: "one version per unknown activity")
        }
        return results(after: try row.get(0), lastVersions, notingIn: &heads)
    }

    /// - Parameters:
    ///   - before: the head's position until then.
    ///   - lastVersions: those of the unknown activities until then.
    private func results(
        after before: Int64, _ lastVersions: [Int64], notingIn heads: inout LogHeadCache
    ) -> [AppendResult] {
        func absolute(_ lookupNumber: Int32, _ version: Int64) -> Int64 {
            lookupNumber > 0 ? lastVersions[Int(lookupNumber) - 1] + version : version
        }
        let found = unknown.lazy.compactMap { activity in
            activities[activity].map { (activity, absolute($0.lookupNumber, $0.version)) }
        }
        if expectedHead == nil {
            heads.note(
                tenant, before: before, after: before + Int64(events.count), tag: tag,
                versions: found)
        } else {
            heads.confirm(tenant, versions: found)
        }
        return events.indices.map { index in
            .recorded(
                position: before + Int64(index) + 1,
                version: absolute(lookupNumbers[index], versions[index]))
        }
    }

    /// What the log has now, so that its caller need not read it.
    /// - Parameters:
    ///   - rows: the statement's.
    ///   - results: all `recorded`, as `results(_:notingIn:)` gave them.
    func recorded(
        _ rows: Rows, _ results: [AppendResult]
    ) throws(PostgresError) -> EventBuffer.Stretch? {
        guard let row = rows.first else { return nil }
        let recordedAt = try row.moment(2)
        var recorded: [RecordedEvent] = []
        recorded.reserveCapacity(events.count)
        for (event, result) in zip(events, results) {
            guard case .recorded(let position, let version) = result else { return nil }
            recorded.append(
                RecordedEvent(
                    tenant: tenant, position: position, version: version, recordedAt: recordedAt,
                    event: event.asRecorded))
        }
        return EventBuffer.Stretch(
            events: recorded, policyRevision: Int(try row.get(3, as: Int32.self)))
    }
}
