import Postgres

/// Whether every index is whole, and which large ones nothing has used.
public enum IndexCheck {
    static let check = DoctorCheck("indexes", needs: .tables) {
        (scene) async throws(PostgresError) in
        let seen = try await scene.pool.query(question).decoded { (row) throws(PostgresError) in
            Index(
                name: try row.text(0), table: try row.text(1), bytes: try row.get(2),
                isValid: try row.bool(3), isUsed: try row.bool(4), isOfSchema: try row.bool(5))
        }
        return .init(findings(seen), fine: summary(seen))
    }

    public struct Index: Hashable, Sendable {
        public var name: String
        public var table: String
        public var bytes: Int64
        /// False when its making was cut short.
        public var isValid: Bool
        /// Since the statistics began.
        public var isUsed: Bool
        /// A migration has made it: a rule or a question may need it another day.
        public var isOfSchema: Bool
    }

    public static func findings(_ indexes: [Index]) -> [Finding] {
        indexes.compactMap { index in
            if !index.isValid {
                return Finding(
                    what: "the index \(index.name) of \(index.table) is not whole",
                    meaning: "No question uses it, and each write still pays for it.",
                    remedy: "psql -c 'REINDEX INDEX CONCURRENTLY \(index.name)'")
            }
            guard !index.isOfSchema, !index.isUsed, index.bytes > bytesMin else { return nil }
            return Finding(
                what: "the index \(index.name) of \(index.table) is not Islet's, takes "
                    + "\(index.bytes >> 20) MB, and nothing has used it",
                meaning: "Each write pays for it.",
                remedy: "if you know of nothing that needs it: psql -c 'DROP INDEX CONCURRENTLY "
                    + "\(index.name)'")
        }
    }

    private static func summary(_ indexes: [Index]) -> String {
        let idle = indexes.filter { $0.isOfSchema && !$0.isUsed && $0.bytes > bytesMin }
        guard !idle.isEmpty else { return "whole" }
        let names = idle.map { "\($0.name) (\($0.bytes >> 20) MB)" }
        return "whole; not used since the statistics began: \(names.joined(separator: ", "))"
    }

    private static let bytesMin: Int64 = 16 << 20

    /// Islet's own are those that its user owns in its schema and that are named for their table.
    private static let question = """
        SELECT i.relname, t.relname, pg_relation_size(i.oid), x.indisvalid,
            coalesce(s.idx_scan, 0) > 0 OR x.indisunique, starts_with(i.relname, t.relname)
        FROM pg_index x
        JOIN pg_class i ON i.oid = x.indexrelid
        JOIN pg_class t ON t.oid = x.indrelid
        LEFT JOIN pg_stat_user_indexes s ON s.indexrelid = x.indexrelid
        WHERE t.relnamespace = current_schema()::regnamespace ORDER BY i.relname
        """
}
