import AppKeys
import DatabaseAccess
import EventStore
import Terminal

/// What SIGHUP reads again: the file of settings, and each file that an option names and that can
/// change while a node runs.
struct Reloading: Sendable {
    /// What is read at once: one setting, or several that say nothing without each other.
    struct Item: Sendable {
        /// Without dashes.
        var options: [String]
        /// - Returns: false when nothing has changed.
        /// - Throws: why what was read before stays in force.
        var read: @Sendable (Arguments) async throws(CommandFailure) -> Bool
    }

    /// As they were at the start.
    let arguments: Arguments
    let items: [Item]
    let log: Log

    func run() async {
        let fresh: Arguments
        do throws(CommandFailure) { fresh = try arguments.again() } catch {
            log(
                .error, "not taken over: what was read before stays in force",
                ["option": "--config", "why": error.text])
            return
        }
        if items.isEmpty {
            log(.info, "SIGHUP: no option names a file that can be read again")
        }
        for name in fresh.settingsThatDiffer(from: arguments)
        where !items.contains(where: { $0.options.contains(name) }) {
            log(
                .warning, "changed in the file of settings: it counts after a restart",
                ["option": name])
        }
        for item in items { await read(item, fresh) }
    }

    private func read(_ item: Item, _ fresh: Arguments) async {
        let option = item.options.map { "--\($0)" }.joined(separator: ",")
        do throws(CommandFailure) {
            let hasChanged = try await item.read(fresh)
            log(
                .info, hasChanged ? "read again" : "read again: nothing has changed",
                ["option": option])
        } catch {
            log(
                .error, "not taken over: what was read before stays in force",
                ["option": option, "why": error.text])
        }
    }
}

extension Reloading {
    init(
        _ arguments: Arguments, _ database: Database, _ router: AppRouter?,
        _ certificate: ServedCertificate?, log: Log
    ) {
        var items: [Item] = []
        if let certificate { items.append(certificate.reloading) }
        if arguments.text("database-url-file") != nil,
            case .given? = try? DatabaseAddress.of(arguments)
        {
            items.append(
                Item(options: ["database-url-file"]) { (fresh) async throws(CommandFailure) in
                    guard case .given(let url) = try DatabaseAddress.of(fresh) else {
                        return false
                    }
                    return try await database.reload(url)
                })
        }
        if let router {
            if arguments.text("master-key-file") != nil { items.append(Self.masterKeys(router)) }
            if arguments.text("apns-key-file") != nil { items.append(Self.apnsKey(router)) }
        }
        if arguments.file != nil {
            items.append(
                Item(options: ["log-level"]) { (fresh) async throws(CommandFailure) in
                    log.change(lowest: Server.level(fresh))
                })
        }
        self.init(arguments: arguments, items: items, log: log)
    }

    private static func masterKeys(_ router: AppRouter) -> Item {
        Item(options: ["master-key-file"]) { (fresh) async throws(CommandFailure) in
            guard let present = router.setup.masterKeys,
                let keys = try MasterKeys.read(fresh)
            else { return false }
            try await router.requireOpenable(by: keys)
            guard present.adopt(keys) else { return false }
            try await Database.asked(try await router.tryClosedOnes())
            return true
        }
    }

    private static func apnsKey(_ router: AppRouter) -> Item {
        Item(
            options: ["apns-key-file", "apns-key-id", "apns-team-id"]
        ) { (fresh) async throws(CommandFailure) in
            guard let key = try APNsSetup.fallback(fresh) else { return false }
            return await router.replaceFallback(key)
        }
    }
}
