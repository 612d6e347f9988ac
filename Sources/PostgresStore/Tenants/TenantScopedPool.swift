import Domain
import Postgres

/// Where a tenant's own questions are asked. Postgres itself shows them that tenant's rows and no
/// others, whatever the SQL says; see `raise_tenant_walls()`. The service's own work, which is for
/// all tenants, goes to the pool directly, as another database user where there are two. Of the
/// connections a tenant has its share.
struct TenantScopedPool: Sendable {
    let pool: Pool
    private let visitors: Pool

    /// - Parameter visitors: whose user is all that is left when a question gives its role back.
    ///   By default the same, whose user owns the tables.
    init(pool: Pool, visitors: Pool? = nil) {
        self.pool = pool
        self.visitors = visitors ?? pool
    }

    func query(
        as tenant: TenantID, _ sql: String, _ parameters: [Parameter]
    ) async throws(PostgresError) -> Rows {
        try await batch(as: tenant, [Statement(sql, parameters)])[0]
    }

    /// In one round trip with the entering, which ends by itself with the transaction.
    func batch(
        as tenant: TenantID, _ statements: [Statement]
    ) async throws(PostgresError) -> [Rows] {
        let entering = Statement(Self.enter, [.text("\(tenant.rawValue)")])
        let all = [entering] + statements.map(Self.marked)
        return Array(try await visitors.batch(all, for: tenant.rawValue).dropFirst())
    }

    /// Of what is counted up to a bound, which has to stop what is read as well. The planner would
    /// read and sort all there is where it expects little, and go through a table where it expects
    /// to come by enough soon: both are wrong where a tenant's rows are not as its average.
    func count(
        as tenant: TenantID, _ statements: [Statement]
    ) async throws(PostgresError) -> [Rows] {
        Array(try await batch(as: tenant, [Self.alongIndexes] + statements).dropFirst())
    }

    /// Until the end of the transaction. A plan that cannot do without one of them only looks dear,
    /// and must not be compiled for that.
    static let alongIndexes = Statement(
        """
        SELECT set_config('enable_seqscan', 'off', true),
            set_config('enable_bitmapscan', 'off', true), set_config('enable_sort', 'off', true),
            set_config('jit', 'off', true)
        """)

    private static let enter = """
        SELECT set_config('islet.tenant', $1, true), set_config('role', tenant_role(), true)
        """

    /// A connection never has to plan the same prepared statement for both sides of the wall in
    /// turn.
    private static func marked(_ statement: Statement) -> Statement {
        var statement = statement
        statement.isPreparedApart = true
        return statement
    }
}
