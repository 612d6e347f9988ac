import Postgres

/// Whether what is acknowledged survives a crash of the database's machine.
public enum DurabilityCheck {
    static let check = DoctorCheck("durability") { (scene) async throws(PostgresError) in
        let row = try await scene.pool.query(question).row(with: "fsync")
        let commit = try await SettingOrigin.look("synchronous_commit", scene.pool)
        let seen = Seen(
            fsync: try row.text(0), fullPageWrites: try row.text(1),
            synchronousCommit: commit.value, origin: commit.origin)
        return .init(findings(seen), fine: "what is committed is on the disk")
    }

    public struct Seen: Hashable, Sendable {
        public var fsync: String
        public var fullPageWrites: String
        /// As the server has it for this user and database.
        public var synchronousCommit: String
        /// Where that is set.
        public var origin = SettingOrigin()
    }

    public static func findings(_ seen: Seen) -> [Finding] {
        var findings: [Finding] = []
        for (name, value) in [("fsync", seen.fsync), ("full_page_writes", seen.fullPageWrites)]
        where value == "off" {
            findings.append(
                Finding(
                    what: "\(name) is off",
                    meaning: "A crash of the machine may damage the database beyond repair.",
                    remedy: "psql -c 'ALTER SYSTEM SET \(name) = on' -c 'SELECT pg_reload_conf()'"))
        }
        if seen.synchronousCommit == "off" {
            findings.append(
                Finding(
                    what: "synchronous_commit is off\(seen.origin.place)",
                    meaning: "A POST is acknowledged before its events are on the disk: a crash "
                        + "loses the last ones.",
                    remedy: remedy(seen.origin)))
        }
        return findings
    }

    private static func remedy(_ origin: SettingOrigin) -> String {
        guard let reset = origin.reset("synchronous_commit") else {
            return SettingOrigin.resetOfServer("synchronous_commit")
        }
        return "psql -c '\(reset)', then start each node again: sessions keep what they began with"
    }

    private static let question = """
        SELECT current_setting('fsync'), current_setting('full_page_writes')
        """
}
