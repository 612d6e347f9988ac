import AppKeys
import DatabaseAccess
import Domain
import EventStore
import HTTP
import Pipeline
import Terminal

/// What has to be in order before anybody is let in.
extension Server {
    /// Waiting for Postgres, or bringing its schema up to date, ends at the first signal to stop.
    /// - Returns: nil when that came before everything was open.
    static func opened(
        unless stop: StopSignals, _ log: Log,
        _ open: @escaping @Sendable () async throws(CommandFailure) -> Parts
    ) async throws(CommandFailure) -> Parts? {
        let outcome = await withTaskGroup(of: Result<Parts, CommandFailure>?.self) {
            group -> Result<Parts, CommandFailure>? in
            group.addTask { await Result(of: open) }
            group.addTask {
                await stop.first()
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            if let first { return first }
            log(.info, "stopping")
            // A private Postgres is waited for until it has started, and stopped again.
            if case .success(let parts)?? = await group.next() { await parts.database.close() }
            return nil
        }
        return try outcome?.get()
    }

    /// - Throws: when something in the database is ahead of its log.
    static func logStatusAtStart(
        _ identity: IdentityWatch, _ database: Database, _ log: Log
    ) async throws(CommandFailure) -> LogStatus {
        let patience = Database.startPatience
        let logStatus = try await Database.asked(
            patience: patience, try await identity.status())
        let inconsistencies = try await Database.asked(
            patience: patience, try await database.store.identity.inconsistencies())
        try LogStatusReport.refuse(inconsistencies)
        LogStatusReport.write(logStatus, to: log)
        return logStatus
    }

    /// A server that could send with no app's key, or sign for no webhook, should not look as if it
    /// did.
    static func refuseKeysWithoutMaster(
        _ router: AppRouter?, _ store: EventStore
    ) async throws(CommandFailure) {
        let patience = Database.startPatience
        if let router { return try await router.start(patience: patience) }
        try await MasterKeys.requireLines(nil, in: store, patience: patience)
    }

    /// - Returns: the port.
    static func listen(
        _ http: HTTP1Server, _ parts: Parts, isSecure: Bool, _ log: Log
    ) async throws(CommandFailure) -> Int {
        let (arguments, apns) = (parts.arguments, parts.router?.setup)
        let host = arguments.text("host") ?? ""
        let port: Int
        do { port = try await http.start() } catch {
            throw .failed(
                "cannot listen on "
                    + (host.hasPrefix("unix:") ? host : "\(host):\(arguments.text("port") ?? "")")
                    + ": "
                    + PortOwner.complaint(
                        error, port: arguments.integer("port") ?? 0, option: "port"))
        }
        if parts.node.roles.contains(.sender), apns == nil {
            log(
                .warning,
                "neither --master-key-file nor --apns-key-file: decisions are recorded, "
                    + "nothing is delivered")
        }
        if let apns, !apns.canBroadcast {
            log(.info, "no --apns-channels-url beside --apns-url: nothing is broadcast")
        }
        log(.info, "listening", ["url": FrontDoor.url(host: host, port: port, isSecure: isSecure)])
        return port
    }
}
