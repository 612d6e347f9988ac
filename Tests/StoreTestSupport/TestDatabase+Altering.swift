import Domain
import EventStore
import Foundation
import JSON
import Postgres
public import TestSupport

@testable import PostgresStore

extension TestDatabase {
    /// Alters rows of the ledger and snapshots by SQL, column by column as before they were packed.
    public func alter(_ sql: String) async throws {
        try await unpack()
        try await pool.withConnection { (connection) async throws(PostgresError) in
            try await connection.script(
                """
                \(sql);
                DELETE FROM pending_decision;
                INSERT INTO pending_decision SELECT tenant, activity_id, version, send_after
                FROM decision WHERE settled_at IS NULL AND verdict <> 'hold'
                """)
        }
    }

    /// Leaves all rows as versions wrote them that knew no packed columns.
    public func unpack() async throws {
        try await unpackSnapshots()
        let rows = try await pool.query(
            "SELECT tenant, \(Decision.columns) FROM decision WHERE details IS NOT NULL")
        for row in rows {
            let decision = try Decision(row, from: 1)
            _ = try await pool.query(
                """
                UPDATE decision SET details = NULL, reason = $4, significance = $5, alert = $6,
                    news = $7, content_state = $8, plain_order = $9, relevance_score = $10,
                    stale_at = $11
                WHERE tenant = $1 AND activity_id = $2 AND version = $3
                """,
                [
                    .tenant(try row.tenant(0)), .activity(decision.activityID),
                    .int8(decision.version), .text(decision.reason),
                    .text(decision.significance?.rawValue),
                    .json(decision.alert.map { Array(WireCoder.encode($0)) }),
                    .json(decision.alertContext.map { Array(WireCoder.encode($0)) }),
                    .json(Array(decision.contentState)),
                    .json(decision.order.map { Array(WireCoder.encode($0)) }),
                    .float8(decision.relevanceScore), .moment(decision.staleAt),
                ])
        }
    }

    private func unpackSnapshots() async throws {
        let rows = try await pool.query(
            """
            SELECT tenant, generation, \(Snapshot.columns) FROM snapshot WHERE folded IS NOT NULL
            """)
        for row in rows {
            let snapshot = try Snapshot(row, from: 2)
            _ = try await pool.query(
                """
                UPDATE snapshot SET folded = NULL, dispatched = NULL, state = $4, attributes = $5,
                    content_state = $6, dispatch = $7
                WHERE tenant = $1 AND generation = $2 AND activity_id = $3
                """,
                [
                    .tenant(try row.tenant(0)), .int4(try row.int4(1)),
                    .activity(snapshot.activityID), .json(Array(snapshot.state)),
                    .json(Array(snapshot.attributes)), .json(Array(snapshot.contentState)),
                    .json(Array(snapshot.dispatch)),
                ])
        }
    }
}
