import Domain
import EventStore
import Postgres

extension MovingTenant: RowDecodable {
    /// All of a database, for `moves(_:_:)`. Who moves a tenant has a lock in both of them; see
    /// `MoveEnds.becomeMover`. A standby does not know of it, and says nothing.
    static let all = """
        SELECT m.tenant, m.name, m.state, m.cell, m.opened_at IS NOT NULL,
            pg_is_in_recovery() OR EXISTS (
                SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database
                WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND l.granted
                    AND d.datname = current_database()
                    AND ((l.classid::bigint << 32) | l.objid::bigint)
                        = hashtextextended('mover', m.tenant)
            ), coalesce(m.closed_until > clock_timestamp(), false)
        FROM tenant_move m ORDER BY m.tenant
        """

    /// A move that ends removes its row, and then lets go of its lock. Postgres shows rows as they
    /// were when the statement began, and locks as they are later: of a move that ends in between
    /// there is a row and no lock, as of one that stands still. So it is asked twice, and one that
    /// was locked the first time is under way.
    static func moves(_ before: Rows, _ now: Rows) throws(PostgresError) -> [MovingTenant] {
        let underWay = Set(try before.decoded(MovingTenant.init).filter(\.isUnderWay).map(\.id))
        var moves = try now.decoded(MovingTenant.init)
        for index in moves.indices where underWay.contains(moves[index].id) {
            moves[index].isUnderWay = true
        }
        return moves
    }

    init(from row: inout RowReader) throws(PostgresError) {
        try self.init(
            id: row.tenant(), name: row.get(), state: row.choice(), cell: row.get(),
            isOpen: row.get(), isUnderWay: row.get(), isClosed: row.get())
    }
}
