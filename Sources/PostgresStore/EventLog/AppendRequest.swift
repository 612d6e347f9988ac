import Domain
import EventStore
import Postgres

/// The events of one `append`.
struct AppendRequest {
    typealias Answer = Result<[AppendResult], EventStoreError>

    let id: UInt64
    let tenant: TenantID
    let events: [NewEvent]
    /// The events are recorded together or not at all; else each by itself.
    let isAtomic: Bool
    let enqueuedAt = ContinuousClock.now
    let continuation: CheckedContinuation<Answer, Never>
    /// Bytes of the events' data.
    let bytes: Int

    init(
        id: UInt64, tenant: TenantID, events: [NewEvent], isAtomic: Bool,
        continuation: CheckedContinuation<Answer, Never>
    ) {
        self.id = id
        self.tenant = tenant
        self.events = events
        self.isAtomic = isAtomic
        self.continuation = continuation
        bytes = events.reduce(0) { $0 + $1.data.count }
    }

    func fail(_ error: EventStoreError) { continuation.resume(returning: .failure(error)) }
}

extension Statement {
    /// One call of `append_events` for all of `requests`.
    static func append(_ requests: [AppendRequest]) -> Statement {
        // Events with one number stand and fall together.
        var number: Int32 = 0
        let owners = requests.flatMap { request in
            number += 1
            return request.events.map { _ in
                if !request.isAtomic { number += 1 }
                return (request: number, tenant: request.tenant.rawValue)
            }
        }
        let events = requests.flatMap(\.events)
        return Statement(
            "SELECT * FROM append_events($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
            [
                .int4s(owners.map(\.request)), .int4s(owners.map(\.tenant)),
                .texts(events.map(\.activityID.rawValue)), .texts(events.map(\.source)),
                .texts(events.map(\.id)), .texts(events.map(\.type)),
                .int4s(events.map { Int32(clamping: $0.schemaVersion) }),
                .timestamps(events.map(\.occurredAt.timestamp)), .jsonbs(events.map(\.data)),
                .int8s(events.map(\.expectedVersion)), .jsonbs(events.map(\.extensions)),
                .bools(events.map(\.isTimeAssumed)),
            ])
    }
}

extension AppendResult {
    /// Outcomes per event from the one row that `append_events` returns.
    static func decode(_ rows: Rows, count: Int) throws(PostgresError) -> [AppendResult] {
        guard let row = rows.first else {
            throw .decoding(column: "outcomes", expected: "one row")
        }
        let codes = try row.get(0, as: ColumnArray<Int16>.self).values
        let positions = try row.get(1, as: ColumnArray<Int64>.self).values
        let versions = try row.get(2, as: ColumnArray<Int64>.self).values
        guard codes.count == count, positions.count == count, versions.count == count else {
            throw .decoding(column: "outcomes", expected: "three arrays, one element per event")
        }
        return try codes.indices.map { (index) throws(PostgresError) -> AppendResult in
            let (position, version) = (positions[index], versions[index])
            switch codes[index] {
            case 0: return .recorded(position: position, version: version)
            case 1: return .alreadyKnown(position: position, version: version)
            // What is at no position was taken back with the rest of the append.
            case 2: return position == 0 ? .batchConflict : .contentConflict(position: position)
            case 3: return .versionConflict(actual: version)
            case 4: return .notRecorded
            default: throw .decoding(column: "outcomes", expected: "0 to 4")
            }
        }
    }
}
