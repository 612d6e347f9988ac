import Domain
import Postgres

/// Shows that both sides have the same rows. That takes as long as there are rows, so all of them
/// are compared while the tenant is in use, and behind the fence only what has changed since.
extension TenantMove {
    /// Keys by table.
    typealias Keys = [String: Set<String>]

    /// All but what was noted and has not been taken along, which is to be compared later.
    func compareAll(_ course: inout MoveCourse, _ ends: MoveEnds) async throws(Failure) {
        let tables = try await ends.tables()
        var rows: Int64 = 0
        course.changed = try await inOneMoment(course, ends) { (noted) async throws(Failure) in
            for (index, table) in tables.enumerated() {
                show("comparing", Int64(index), Int64(tables.count))
                rows += try await compare(
                    table, course, ends, allBut: true, Array(noted[table] ?? []))
            }
        }
        course.report.rows = rows
    }

    /// What has been taken along since the last time.
    func compareChanged(_ course: inout MoveCourse, _ ends: MoveEnds) async throws(Failure) {
        let changed = course.changed ?? [:]
        course.changed = try await inOneMoment(course, ends) { (noted) async throws(Failure) in
            for (table, keys) in changed.sorted(by: { $0.key < $1.key }) {
                var rest = keys.subtracting(noted[table] ?? []).sorted()[...]
                while !rest.isEmpty {
                    _ = try await compare(
                        table, course, ends, allBut: false,
                        Array(rest.prefix(Limits.moveNotesMax)))
                    rest = rest.dropFirst(Limits.moveNotesMax)
                }
            }
        }
    }

    /// What the source has at one moment, with the keys that are noted then. The target only
    /// changes when the move changes it.
    /// - Returns: those keys.
    private func inOneMoment(
        _ course: MoveCourse, _ ends: MoveEnds, _ body: (Keys) async throws(Failure) -> Void
    ) async throws(Failure) -> Keys {
        try await ends.ask(.source, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        do throws(Failure) {
            let notes = try await ends.ask(
                .source,
                "SELECT DISTINCT relname::text, key::text FROM moved_row WHERE tenant = $1",
                [.tenant(course.tenant)])
            var noted: Keys = [:]
            do throws(PostgresError) {
                for row in notes { noted[try row.text(0), default: []].insert(try row.text(1)) }
            } catch { throw .store(error) }
            try await body(noted)
            try await ends.ask(.source, "COMMIT")
            return noted
        } catch {
            _ = try? await ends.ask(.source, "ROLLBACK")
            throw error
        }
    }

    /// - Parameter allBut: compares all rows but those of the keys, instead of those.
    /// - Returns: how many rows were compared.
    private func compare(
        _ table: String, _ course: MoveCourse, _ ends: MoveEnds, allBut: Bool, _ keys: [String]
    ) async throws(Failure) -> Int64 {
        let question = Statement(
            "SELECT row_count, digest FROM digest_of_tenant($1, $2, $3, $4::text[]::jsonb[])",
            [.tenant(course.tenant), .text(table), .bool(allBut), .texts(keys)])
        async let there = Self.digest(question, .target, ends)
        let here = try await Self.digest(question, .source, ends).get()
        let other = try await there.get()
        guard here == other else {
            throw .stuck(
                "\(table) is not the same on both sides (\(here.count) and \(other.count) rows, "
                    + "or other contents): the tenant stays where it is. End this move with "
                    + "--cancel, which removes what has been copied, and run it again from the "
                    + "start")
        }
        return here.count
    }

    private struct Digest: Hashable {
        var count: Int64
        var text: String
    }

    private static func digest(
        _ question: Statement, _ end: MoveEnds.End, _ ends: MoveEnds
    ) async -> Result<Digest, Failure> {
        do throws(Failure) {
            let row = try await ends.ask(end, question.sql, question.parameters).first
            return .success(
                try await asking(
                    Digest(count: try row?.get(0) ?? 0, text: try row?.text(1) ?? ""), end))
        } catch { return .failure(error) }
    }
}
