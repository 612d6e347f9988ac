import Domain
import EventStore
import Postgres

struct PostgresEventLog: EventLog {
    let tenantPool: TenantScopedPool
    let appender: Appender

    func append(_ tenant: TenantID, _ events: [NewEvent], isAtomic: Bool)
        async throws(EventStoreError) -> [AppendResult]
    { try await appender.append(tenant, events, isAtomic: isAtomic) }

    /// The two ways in: along the log, or along one activity, whose versions go with positions: it
    /// begins at the version that the positions begin with.
    func select(
        _ tenant: TenantID, _ filter: EventFilter, _ positions: ClosedRange<Int64>, _ limit: Int
    ) async throws(EventStoreError) -> [RecordedEvent] {
        let (condition, order) =
            filter.activity == nil
            ? ("", "position")
            : ("AND activity_id = $6 AND version > version_upto($1, $6, $2 - 1)", "version")
        return try await tenantPool.rows(
            as: tenant,
            """
            SELECT \(RecordedEvent.columns) FROM event
            WHERE tenant = $1 AND position BETWEEN $2 AND $3
                AND (cardinality($4::text[]) = 0 OR type = ANY ($4::text[])) \(condition)
            ORDER BY \(order) LIMIT $5
            """,
            Parameter.stretch(tenant, positions)
                + [.texts(filter.types.sorted()), .count(limit)]
                + (filter.activity.map { [Parameter.activity($0)] } ?? []), RecordedEvent.init)
    }

    func readActivity(_ tenant: TenantID, _ activity: ActivityID, _ after: Int64, _ limit: Int)
        async throws(EventStoreError) -> [RecordedEvent]
    {
        try await tenantPool.rows(
            as: tenant, Self.readStream,
            [.tenant(tenant), .activity(activity), .int8(after), .count(limit)], RecordedEvent.init)
    }

    func head(_ tenant: TenantID) async throws(EventStoreError) -> Int64 {
        try await tenantPool.value(as: tenant, Self.readHead, [.tenant(tenant)]) ?? 0
    }

    private static let readStream = """
        SELECT \(RecordedEvent.columns) FROM event
        WHERE tenant = $1 AND activity_id = $2 AND version > $3 ORDER BY version LIMIT $4
        """

    private static let readHead = "SELECT position FROM log_head WHERE tenant = $1"
}
