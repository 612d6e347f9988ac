import Domain
import Postgres

/// A batch in which nothing but a duplicate can go wrong: one tenant, and nobody expects a version.
///
/// It takes one statement without a function call around it, which costs Postgres a third to a half
/// less than `append_events`. Where it fails for a `unique_violation`, nothing is recorded and
/// `append_events` finds out which event is to blame. The same happens when another node wrote to
/// one of the activities after the statement's snapshot was taken and before it got the head.
struct PlainAppend {
    private let tenant: TenantID
    private let events: [NewEvent]
    /// Each activity once.
    private var activities: [String] = []
    /// Per event the place of its activity in `activities`, from 1.
    private var numbers: [Int32] = []
    /// Per event its place among those of its activity, from 1.
    private var steps: [Int64] = []

    init?(_ requests: [AppendRequest]) {
        guard let tenant = requests.first?.tenant,
            requests.allSatisfy({ request in
                request.tenant == tenant && request.events.allSatisfy { $0.expectedVersion == nil }
            })
        else { return nil }
        self.tenant = tenant
        events = requests.count == 1 ? requests[0].events : requests.flatMap(\.events)
        numbers.reserveCapacity(events.count)
        steps.reserveCapacity(events.count)
        var places: [String: Int] = [:]
        var counts: [Int64] = []
        for event in events {
            let activity = event.activityID.rawValue
            let place = places[activity] ?? activities.count
            if place == activities.count {
                places[activity] = place
                activities.append(activity)
                counts.append(0)
            }
            counts[place] += 1
            numbers.append(Int32(place + 1))
            steps.append(counts[place])
        }
    }

    var statement: Statement {
        Statement(
            Self.sql,
            [
                .tenant(tenant), .int8(Int64(events.count)), .texts(activities),
                .texts(events.lazy.map(\.activityID.rawValue)), .int4s(numbers), .int8s(steps),
                .texts(events.lazy.map(\.source)), .texts(events.lazy.map(\.id)),
                .texts(events.lazy.map(\.type)),
                .int4s(events.lazy.map { Int32(clamping: $0.schemaVersion) }),
                .timestamps(events.lazy.map(\.occurredAt.timestamp)),
                .jsonbs(events.lazy.map(\.data)),
            ])
    }

    /// - Returns: nil for a tenant that is unknown.
    func outcomes(_ rows: Rows) throws(PostgresError) -> [AppendOutcome]? {
        guard let row = rows.first else { return nil }
        let before = try row.get(0, as: Int64.self)
        let lastVersions = try row.get(1, as: ColumnArray<Int64>.self).values
        guard lastVersions.count == activities.count else {
            throw .decoding(column: "versions", expected: "one version per activity")
        }
        return events.indices.map { index in
            .recorded(
                position: before + Int64(index) + 1,
                version: lastVersions[Int(numbers[index]) - 1] + steps[index])
        }
    }

    /// Moving the head locks it, so positions are dense and in commit order. The last versions go
    /// into one array, because looking into that costs the same whatever the planner makes of it.
    private static let sql = """
        WITH head AS (
            UPDATE log_head SET position = position + $2,
                recorded_at = greatest(recorded_at, clock_timestamp())
            WHERE tenant = $1
            RETURNING position - $2 AS before, recorded_at
        ), last AS (
            SELECT array_agg(coalesce(
                (SELECT e.version FROM event e
                WHERE e.tenant = $1 AND e.activity_id = a.activity_id
                ORDER BY e.version DESC LIMIT 1), 0) ORDER BY a.number) AS versions
            FROM unnest($3::text[]) WITH ORDINALITY AS a (activity_id, number)
        ), inserted AS (
            INSERT INTO event (
                tenant, position, activity_id, version, event_id, source, type, schema_version,
                occurred_at, recorded_at, data
            )
            SELECT $1, head.before + i.ordinal, i.activity_id, last.versions[i.number] + i.step,
                i.event_id, i.source, i.type, i.schema_version, i.occurred_at, head.recorded_at,
                i.data
            FROM head, last, unnest(
                $4::text[], $5::integer[], $6::bigint[], $7::text[], $8::text[], $9::text[],
                $10::integer[], $11::timestamptz[], $12::jsonb[]
            ) WITH ORDINALITY AS i (
                activity_id, number, step, source, event_id, type, schema_version, occurred_at,
                data, ordinal
            )
        )
        SELECT head.before, last.versions, pg_notify('islet_news', 'appended ' || $1)
        FROM head, last
        """
}
