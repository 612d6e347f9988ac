import Domain
import Postgres

/// A batch of one tenant in which nothing but a duplicate can go wrong.
///
/// It takes one statement without a function call around it, and looks up only those last versions
/// that this node does not know: a third to a half of what `append_events` costs Postgres. Where it
/// fails for a `unique_violation`, nothing is recorded and `append_events` finds out which event is
/// to blame. The same happens when another node wrote to one of the activities after the
/// statement's snapshot was taken and before it got the head.
struct PlainAppend {
    private let tenant: TenantID
    private let events: [NewEvent]
    /// Where the head has to be; nil when anywhere is well, because nothing is taken as known.
    private let head: Int64?
    /// Activities whose last version has to be looked up, each once.
    private var unknown: [ActivityID] = []
    /// Per event the place of its activity in `unknown`, from 1; 0 for one whose version is known.
    private var numbers: [Int32] = []
    /// Per event its version, counted from that of its activity if that is unknown.
    private var steps: [Int64] = []
    /// Of each activity what its last event has in `numbers` and `steps`.
    private var activities: [ActivityID: (number: Int32, step: Int64)] = [:]

    /// - Parameter end: what is known of the tenant's log, if anything.
    /// - Returns: nil when an event expects a version which its activity is not known to be at.
    init?(_ requests: [AppendRequest], end: LogEnd?) {
        guard let tenant = requests.first?.tenant else { return nil }
        self.tenant = tenant
        head = end?.head
        events = requests.count == 1 ? requests[0].events : requests.flatMap(\.events)
        numbers.reserveCapacity(events.count)
        steps.reserveCapacity(events.count)
        for event in events {
            var (number, step) =
                activities[event.activityID] ?? start(event.activityID, in: end)
            if let expected = event.expectedVersion, number > 0 || expected != step { return nil }
            step += 1
            activities[event.activityID] = (number, step)
            numbers.append(number)
            steps.append(step)
        }
    }

    private mutating func start(
        _ activity: ActivityID, in end: LogEnd?
    ) -> (number: Int32, step: Int64) {
        if let version = end?.version(of: activity) { return (0, version) }
        unknown.append(activity)
        return (Int32(unknown.count), 0)
    }

    var statement: Statement {
        var parameters: [Parameter] = [
            .tenant(tenant), .int8(Int64(events.count)), .int8(head),
            .texts(events.lazy.map(\.activityID.rawValue)), .int8s(steps),
            .texts(events.lazy.map(\.source)), .texts(events.lazy.map(\.id)),
            .texts(events.lazy.map(\.type)),
            .int4s(events.lazy.map { Int32(clamping: $0.schemaVersion) }),
            .timestamps(events.lazy.map(\.occurredAt.timestamp)),
            .jsonbs(events.lazy.map(\.data)),
        ]
        guard !unknown.isEmpty else { return Statement(Self.withoutLookUp, parameters) }
        parameters += [.texts(unknown.lazy.map(\.rawValue)), .int4s(numbers)]
        return Statement(Self.withLookUp, parameters)
    }

    /// - Returns: nil when the head is elsewhere, or the tenant unknown: nothing was recorded.
    func outcomes(
        _ rows: Rows, notingIn ends: inout LogEnds
    ) throws(PostgresError) -> [AppendOutcome]? {
        guard let row = rows.first else { return nil }
        let before = try row.get(0, as: Int64.self)
        let looked = try row.optional(1, as: ColumnArray<Int64>.self)?.values ?? []
        guard looked.count == unknown.count else {
            throw .decoding(column: "versions", expected: "one version per unknown activity")
        }
        func version(_ number: Int32, _ step: Int64) -> Int64 {
            number > 0 ? looked[Int(number) - 1] + step : step
        }
        ends.note(
            tenant, before: before, after: before + Int64(events.count),
            versions: activities.lazy.map { ($0.key, version($0.value.number, $0.value.step)) })
        return events.indices.map { index in
            .recorded(
                position: before + Int64(index) + 1,
                version: version(numbers[index], steps[index]))
        }
    }

    private static let withoutLookUp = sql(lookUp: "", from: "", version: "i.step", last: "NULL")

    /// The last versions go into one array, because looking into that costs the same whatever the
    /// planner makes of it.
    private static let withLookUp = sql(
        lookUp: """
            , last AS (
                SELECT array_agg(coalesce(
                    (SELECT e.version FROM event e
                    WHERE e.tenant = $1 AND e.activity_id = a.activity_id
                    ORDER BY e.version DESC LIMIT 1), 0) ORDER BY a.number) AS versions
                FROM unnest($12::text[]) WITH ORDINALITY AS a (activity_id, number)
            )
            """,
        from: ", last", numbers: ", $13::integer[]", number: ", number",
        version: "coalesce(last.versions[i.number], 0) + i.step", last: "last.versions")

    /// Moving the head locks it, so positions are dense and in commit order.
    private static func sql(
        lookUp: String, from: String, numbers: String = "", number: String = "", version: String,
        last: String
    ) -> String {
        """
        WITH head AS (
            UPDATE log_head SET position = position + $2,
                recorded_at = greatest(recorded_at, clock_timestamp())
            WHERE tenant = $1 AND position = coalesce($3, position)
            RETURNING position - $2 AS before, recorded_at
        )\(lookUp), inserted AS (
            INSERT INTO event (
                tenant, position, activity_id, version, event_id, source, type, schema_version,
                occurred_at, recorded_at, data
            )
            SELECT $1, head.before + i.ordinal, i.activity_id, \(version),
                i.event_id, i.source, i.type, i.schema_version, i.occurred_at, head.recorded_at,
                i.data
            FROM head\(from), unnest(
                $4::text[], $5::bigint[], $6::text[], $7::text[], $8::text[], $9::integer[],
                $10::timestamptz[], $11::jsonb[]\(numbers)
            ) WITH ORDINALITY AS i (
                activity_id, step, source, event_id, type, schema_version, occurred_at,
                data\(number), ordinal
            )
        )
        SELECT head.before, \(last)::bigint[] FROM head\(from)
        """
    }
}
