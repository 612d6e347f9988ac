import EventStore
import Postgres

/// Whether new sessions may write. That all hosts are standbys says `HostsCheck`.
public enum ReadOnlyCheck {
    static let check = DoctorCheck("writes") { (scene) async throws(PostgresError) in
        let name = "default_transaction_read_only"
        guard let found = try await SettingOrigin.look(name, scene.pool) else {
            return .unseen("no answer")
        }
        guard found.value == "on" else { return .fine("are taken") }
        return .findings([finding(found.origin)])
    }

    public static func finding(_ origin: SettingOrigin) -> Finding {
        Finding(
            what: "the database is read-only (default_transaction_read_only = on\(origin.place))",
            meaning: "Every POST is answered 503, and nothing is folded or sent.",
            remedy: remedy(origin))
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
