import Postgres
import TestSupport

@testable import API

extension PostgresAPI {
    /// An order that stands still, as if its event could not have been folded.
    func block(_ order: String) async throws {
        try await place(order)
        try await fold()
        _ = try await database.pool.query(
            """
            INSERT INTO parked_event (tenant, position, activity_id, reason)
            SELECT tenant, position, activity_id, 'made up' FROM event WHERE activity_id = $1
            """, [.text(order)])
        _ = try await database.pool.query(
            "UPDATE snapshot SET fault = 'made up' WHERE activity_id = $1", [.text(order)])
    }
}
