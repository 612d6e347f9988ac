import EventStore
import Postgres

/// Whether new sessions may write, and whether what they write finds room. That all hosts are
/// standbys says `HostsCheck`.
public enum WritesCheck {
    static let check = DoctorCheck("writes") { (scene) async throws(PostgresError) in
        let name = "default_transaction_read_only"
        let found = try await SettingOrigin.look(name, scene.pool)
        if found.value == "on" { return .findings([finding(found.origin)]) }
        do throws(PostgresError) {
            let patience = Duration.seconds(Limits.doctorSecondsMax)
            _ = try await scene.pool.batch(StoreProbe.room, timeout: patience)
            _ = try await scene.pool.batch([StoreProbe.word], timeout: patience)
        } catch .server(let error) where isShortage(error) {
            return .findings([finding(error)])
        } catch .notReplicated {
            // Which standby is away says `StandbyCheck`.
            return withoutStandby
        }
        return .fine("are taken")
    }

    static let withoutStandby = DoctorCheck.Answer.fine("are taken by the primary alone")

    /// Of disk, memory or ids of transactions, or an error of the disk.
    private static func isShortage(_ error: ServerError) -> Bool {
        error.isOutOfIDs || error.sqlState.hasPrefix("53") || error.sqlState.hasPrefix("58")
    }

    /// Of a write that was refused.
    static func finding(_ error: ServerError) -> Finding {
        Finding(
            what: "the database cannot write: \(error.sqlState) \(error.message)",
            meaning: "POSTs are answered 503, and soon nothing is folded or sent.",
            remedy: remedy(error))
    }

    private static func remedy(_ error: ServerError) -> String {
        if error.isOutOfIDs { return VacuumCheck.freezing }
        guard error.sqlState == SQLState.diskFull else {
            return "the log of Postgres says more; look at the disk and the memory of its machine"
        }
        return "as an administrator, psql -c 'SHOW data_directory', and make room on that disk: "
            + "move old server logs, core files and backups away, or enlarge it. psql -c "
            + "'SELECT slot_name, active, restart_lsn FROM pg_replication_slots' shows "
            + "which slots keep WAL: drop those that nobody reads any more. Never remove "
            + "anything in pg_wal, pg_xact or base by hand: that destroys the database"
    }

    public static func finding(_ origin: SettingOrigin) -> Finding {
        Finding(
            what: "the database is read-only (default_transaction_read_only = on\(origin.place))",
            meaning: "Every POST is answered 503, and nothing is folded or sent.",
            remedy: remedy(origin) + "; if psql goes by target_session_attrs=read-write, it finds "
                + "no such host now: name the primary alone in PGHOST, and set "
                + "PGTARGETSESSIONATTRS=any")
    }

    private static func remedy(_ origin: SettingOrigin) -> String {
        let setting = "default_transaction_read_only"
        guard let reset = origin.reset(setting) else {
            return "if the disk is full, make room first: managed Postgres sets it then and takes "
                + "it back by itself. Else \(SettingOrigin.resetOfServer(setting))"
        }
        // The session that takes the setting back begins with it.
        return "psql -c 'SET \(setting) = off' -c '\(reset)'"
    }
}
