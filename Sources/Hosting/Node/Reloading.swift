import APNsClient
import AppKeys
import DatabaseAccess
import EventStore
import Terminal

/// What SIGHUP reads again: each file that an option names and that can change while a node runs.
struct Reloading: Sendable {
    /// One file.
    struct Item: Sendable {
        /// The option that names it, without dashes.
        var option: String
        /// - Returns: false when nothing has changed.
        /// - Throws: why what was read before stays in force.
        var read: @Sendable () async throws(CommandFailure) -> Bool
    }

    var items: [Item]

    func run(log: Log) async {
        if items.isEmpty {
            log(.info, "SIGHUP: no option names a file that can be read again")
        }
        for item in items {
            let option = "--\(item.option)"
            do throws(CommandFailure) {
                let hasChanged = try await item.read()
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

    static func all(
        _ arguments: Arguments, _ database: Database, _ router: AppRouter?
    ) -> Reloading {
        var items: [Item] = []
        if arguments.text("database-url-file") != nil,
            case .given? = try? DatabaseAddress.of(arguments)
        {
            items.append(
                Item(option: "database-url-file") { () async throws(CommandFailure) in
                    guard case .given(let url) = try DatabaseAddress.of(arguments) else {
                        return false
                    }
                    return try await database.reload(url)
                })
        }
        guard let router else { return Reloading(items: items) }
        if arguments.text("master-key-file") != nil { items.append(masterKeys(arguments, router)) }
        if arguments.text("apns-key-file") != nil { items.append(apnsKey(arguments, router)) }
        return Reloading(items: items)
    }

    private static func masterKeys(_ arguments: Arguments, _ router: AppRouter) -> Item {
        Item(option: "master-key-file") { () async throws(CommandFailure) in
            guard let present = router.setup.masterKeys,
                let fresh = try MasterKeys.read(arguments)
            else { return false }
            try await router.requireOpenable(by: fresh)
            guard present.adopt(fresh) else { return false }
            do throws(EventStoreError) { try await router.tryClosedOnes() } catch {
                throw .failed(Database.explanation(of: error))
            }
            return true
        }
    }

    private static func apnsKey(_ arguments: Arguments, _ router: AppRouter) -> Item {
        Item(option: "apns-key-file") { () async throws(CommandFailure) in
            guard let fresh = try APNsSetup.fallback(arguments) else { return false }
            return await router.replaceFallback(fresh)
        }
    }
}
