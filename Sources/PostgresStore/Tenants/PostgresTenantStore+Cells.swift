import Domain
import EventStore
import Postgres

/// Where tenants are. Asked as the service: what is asked for a tenant sees none of it.
extension PostgresTenantStore {
    func cells() async throws(EventStoreError) -> [Cell] {
        try await pool.rows("SELECT \(Cell.columns) FROM cell c ORDER BY c.name", [], Cell.init)
    }

    func moves() async throws(EventStoreError) -> [MovingTenant] {
        try await asked(
            try MovingTenant.moves(
                await pool.query(MovingTenant.all), await pool.query(MovingTenant.all)))
    }

    /// Naming this cell again gives it another name. What points to another one follows it.
    func setCell(_ cell: Cell) async throws(EventStoreError) {
        try await withStoreErrors { () async throws(PostgresError) in
            var statements = [
                Statement(
                    "UPDATE cell SET name = $1 WHERE is_here AND name <> $1 AND $2::bool",
                    [.text(cell.name), .bool(cell.isHere)]),
                Statement(
                    """
                    INSERT INTO cell AS c (name, url, is_here) VALUES ($1, $2, $3)
                    ON CONFLICT ON CONSTRAINT cell_key DO UPDATE
                        SET url = coalesce(excluded.url, c.url),
                            is_here = c.is_here OR excluded.is_here
                    """, [.text(cell.name), .text(cell.url), .bool(cell.isHere)]),
            ]
            if let number = cell.number {
                statements.append(
                    Statement("SELECT number_cell($1)", [.int4(Int32(clamping: number))]))
            }
            _ = try await pool.batch(statements)
        }
    }
}

extension Cell: RowDecodable {
    /// Columns of the table under the name `c`.
    static let columns = "c.name, c.number, c.url, c.is_here"

    init(from row: inout RowReader) throws(PostgresError) {
        try self.init(
            name: row.get(), number: row.optional(as: Int32.self).map { Int($0) },
            url: row.optional(), isHere: row.get())
    }
}
