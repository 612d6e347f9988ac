import Domain
import EventStore
import Foundation
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
            let columns = Decision.Detail.allCases.compactMap { detail in
                detail.unpacked(of: decision).map { (name: detail.column, value: $0) }
            }
            let assignments = columns.enumerated().map { "\($1.name) = $\($0 + 4)" }
            _ = try await pool.query(
                """
                UPDATE decision SET details = NULL, \(assignments.joined(separator: ", "))
                WHERE tenant = $1 AND activity_id = $2 AND version = $3
                """,
                [
                    .tenant(try row.tenant(0)), .activity(decision.activityID),
                    .int8(decision.version),
                ] + columns.map(\.value))
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

extension Decision.Detail {
    /// As a column of its own had it; nil for one that such rows lack, since it never had one.
    fileprivate func unpacked(of decision: Decision) -> Parameter? {
        switch self {
        case .reason: .text(decision.reason)
        case .significance: .text(decision.significance?.rawValue)
        case .alert, .news, .contentState, .order: .json(text.get(decision).map { Array($0) })
        case .relevanceScore: .float8(decision.relevanceScore)
        case .staleAt: .moment(decision.staleAt)
        }
    }
}
