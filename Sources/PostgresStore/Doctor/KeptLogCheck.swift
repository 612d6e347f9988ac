import Domain
import Postgres

/// Whether what Postgres keeps of its write-ahead log goes away again: once it is archived, and
/// once it was read by those for whom replication slots keep it.
public enum KeptLogCheck {
    static let check = DoctorCheck("write-ahead log") { (scene) async throws(PostgresError) in
        let failed = try await scene.pool.query(archiver).first?.text(0)
        let slots = try await scene.pool.query(slots).decoded { (row) throws(PostgresError) in
            Slot(name: try row.text(0), bytes: try row.int8(1))
        }
        return .init(
            findings(notArchived: failed, slots), fine: "nobody keeps Postgres from removing it")
    }

    /// A replication slot that nobody is connected to.
    public struct Slot: Hashable, Sendable {
        public var name: String
        /// Of the log, that it keeps.
        public var bytes: Int64
    }

    /// - Parameter notArchived: the file that could not be archived when that was tried last.
    public static func findings(notArchived: String?, _ slots: [Slot]) -> [Finding] {
        let archive = notArchived.map { file in
            Finding(
                what: "Postgres cannot archive \(file), nor what comes after it",
                meaning: "A restore to a point in time ends there, and Postgres keeps all later "
                    + "WAL until its disk is full.",
                remedy: "the log of Postgres says what archive_command answered: see to the "
                    + "archive's room and rights. If the file is there already, as after a "
                    + "failover, take the command of docs/how-to/back-up-and-restore.md")
        }
        return (archive.map { [$0] } ?? [])
            + slots.filter { $0.bytes >= bytesMin }.map { slot in
                Finding(
                    what: "nobody reads the replication slot \(slot.name), for which Postgres "
                        + "keeps \(slot.bytes >> 20) MB of WAL",
                    meaning: "It keeps all that comes as well, until its disk is full and it takes "
                        + "no more writes.",
                    remedy: "start the standby or the program that reads it; if there is none any "
                        + "more, psql -c \"SELECT pg_drop_replication_slot('\(slot.name)')\"")
            }
    }

    /// A standby that starts again leaves less behind.
    private static let bytesMin: Int64 = 64 << 20

    /// No row while archiving works, or nothing is archived.
    private static let archiver = """
        SELECT last_failed_wal FROM pg_stat_archiver
        WHERE current_setting('archive_mode') <> 'off'
            AND last_failed_time > coalesce(last_archived_time, '-infinity')
        """

    private static let slots = """
        SELECT slot_name, pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::int8
        FROM pg_replication_slots WHERE NOT active AND restart_lsn IS NOT NULL ORDER BY slot_name
        """
}
