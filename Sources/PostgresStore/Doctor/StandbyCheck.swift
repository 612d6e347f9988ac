import Domain
import Postgres

/// Whether the standbys that commits wait for are there.
public enum StandbyCheck {
    static let check = DoctorCheck("synchronous standbys") { (scene) async throws(PostgresError) in
        let row = try await scene.pool.query(question).row(with: "synchronous_standby_names")
        let seen = Seen(
            names: try row.get(0), synchronousCommit: try row.get(1),
            connected: try row.get(2), synchronous: try row.get(3), isVisible: try row.get(4),
            isOverridden: try row.get(6), isOriginHidden: try row.get(7))
        let role = try row.get(5, as: String.self)
        if seen.needed > 0, !seen.isVisible, seen.connected >= seen.needed {
            return .unseen(
                "\(seen.connected) standbys are connected, but this user may not see how they "
                    + "stand: psql -c 'GRANT pg_read_all_stats TO \(role)' as a superuser")
        }
        return .init(findings(seen), fine: summary(seen))
    }

    public struct Seen: Hashable, Sendable {
        /// As `synchronous_standby_names` has them.
        public var names: String
        public var synchronousCommit: String
        /// Standbys that are connected, whatever they are to the primary.
        public var connected: Int
        /// Of them, those that commits wait for.
        public var synchronous: Int
        /// Whether the user may see the last one.
        public var isVisible: Bool
        /// `ALTER SYSTEM` has set the names to none, whatever a configuration or Patroni says.
        public var isOverridden = false
        /// A file has set the names to none, and the user may not see which.
        public var isOriginHidden = false

        /// How many confirmations a commit waits for.
        var needed: Int {
            guard names.contains(where: { $0 != " " }),
                ["on", "remote_apply", "remote_write"].contains(synchronousCommit)
            else { return 0 }
            return StandbyCheck.count(in: names)
        }
    }

    public static func findings(_ seen: Seen) -> [Finding] {
        if seen.isOverridden, seen.connected > 0 { return [overridden(seen.connected)] }
        let there = seen.isVisible ? seen.synchronous : seen.connected
        guard there < seen.needed else { return [] }
        return [
            Finding(
                what: "commits wait for \(seen.needed) synchronous standby"
                    + "\(seen.needed == 1 ? "" : "s") (synchronous_standby_names = "
                    + "'\(seen.names)'), and \(there) \(there == 1 ? "is" : "are") there",
                meaning: "Every POST waits, and is answered 503 outcome-unknown.",
                remedy: "start the standby, or if it runs and does not follow, copy it again "
                    + "(patronictl reinit, or pg_basebackup); or go on without, at the price of "
                    + "what a failover then loses. If Patroni looks after Postgres: patronictl "
                    + "edit-config --force -s synchronous_mode=false; as soon as SHOW "
                    + "synchronous_standby_names is empty, patronictl edit-config --force -s "
                    + "synchronous_mode=true -s synchronous_mode_strict=false, for without "
                    + "synchronous_mode a failover may lose what was acknowledged; when the "
                    + "standby is back, synchronous_mode_strict as it was. Never ALTER SYSTEM, "
                    + "which Patroni cannot undo. Without a manager: psql -c \"ALTER "
                    + "SYSTEM SET synchronous_standby_names = ''\" -c 'SELECT pg_reload_conf()', "
                    + "and when the standby is back \(reset)")
        ]
    }

    private static func overridden(_ connected: Int) -> Finding {
        Finding(
            what: "ALTER SYSTEM has set synchronous_standby_names = '', and "
                + "\(connected.counted("standby is", "standbys are")) connected",
            meaning: "Commits wait for none of them, so a failover loses what was acknowledged. If "
                + "Patroni looks after Postgres, it is overridden and promotes nobody by itself.",
            remedy: reset)
    }

    private static let reset =
        "psql -c 'ALTER SYSTEM RESET synchronous_standby_names' -c 'SELECT pg_reload_conf()'"

    /// `FIRST 2 (a, b)`, `ANY 1 (a, b)`, `2 (a, b)`, or names alone, which is one of them.
    public static func count(in names: String) -> Int {
        let head = names.prefix { $0 != "(" }
        guard head.count < names.count else { return 1 }
        return head.split { !$0.isNumber }.last.flatMap { Int($0) } ?? 1
    }

    static func summary(_ seen: Seen) -> String {
        guard seen.needed == 0 else {
            return "\(seen.synchronous) of \(seen.needed) that commits wait for are there"
        }
        let none = "commits wait for none; \(seen.connected) connected"
        guard seen.isOriginHidden, seen.connected > 0 else { return none }
        return none + "; whether ALTER SYSTEM set that, only a superuser may see"
    }

    /// Of others' sessions and of standbys only some users may see more than that they are there.
    /// Only some may see which file a setting is from: for others a Postgres whose manager names it
    /// on the command line, as Patroni does, has no such line in its own files.
    private static let question = """
        SELECT current_setting('synchronous_standby_names'),
            current_setting('synchronous_commit'),
            (SELECT count(*) FROM pg_stat_replication),
            (SELECT count(*) FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')),
            pg_has_role(session_user, 'pg_read_all_stats', 'USAGE'),
            quote_ident(session_user),
            s.setting = '' AND s.source = 'configuration file' AND CASE
                WHEN s.sourcefile IS NULL THEN m.source = 'command line'
                ELSE s.sourcefile LIKE '%postgresql.auto.conf' END,
            s.setting = '' AND s.source = 'configuration file'
                AND s.sourcefile IS NULL AND m.source <> 'command line'
        FROM pg_settings s, pg_settings m
        WHERE s.name = 'synchronous_standby_names' AND m.name = 'cluster_name'
        """
}
