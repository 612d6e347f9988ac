import Domain
import EventStore
import Postgres

extension MovingTenant: RowDecodable {
    /// All of a database. Who moves a tenant holds a lock in both of them; see `MoveEnds.hold`. A
    /// standby does not know of it, and says nothing.
    static let all = """
        SELECT m.tenant, m.name, m.state, m.cell, m.opened_at IS NOT NULL,
            pg_is_in_recovery() OR EXISTS (
                SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database
                WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND l.granted
                    AND d.datname = current_database()
                    AND ((l.classid::bigint << 32) | l.objid::bigint)
                        = hashtextextended('mover', m.tenant)
            )
        FROM tenant_move m ORDER BY m.tenant
        """

    init(from row: inout RowReader) throws(PostgresError) {
        try self.init(
            id: row.tenant(), name: row.text(), state: row.choice(), cell: row.text(),
            isOpen: row.bool(), isUnderWay: row.bool())
    }
}
