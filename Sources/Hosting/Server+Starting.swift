import AppKeys
import DatabaseAccess
import EventStore
import HTTP
import Pipeline
import Terminal

/// What has to be in order before anybody is let in.
extension Server {
    /// - Throws: when something in the database is ahead of its log.
    static func standingAtStart(
        _ identity: IdentityWatch, _ database: Database, _ log: Log
    ) async throws(CommandFailure) -> LogStanding {
        let standing = try await Database.asked(try await identity.standing())
        let faults = try await Database.asked(try await database.store.identity.faults())
        try LogStandingReport.refuse(faults)
        LogStandingReport.write(standing, to: log)
        return standing
    }

    /// A server that could send with no app's key should not look as if it did.
    static func refuseKeysWithoutMaster(
        _ router: AppRouter?, _ store: EventStore
    ) async throws(CommandFailure) {
        if let router { return try await router.start() }
        let records = try await Database.asked(try await store.apps.keys())
        if let first = records.first { throw MasterKeys.missing(for: first) }
    }

    /// - Returns: the port.
    static func listen(
        _ http: HTTP1Server, _ parts: Parts, isSecure: Bool, _ log: Log
    ) async throws(CommandFailure) -> Int {
        let (arguments, apns) = (parts.arguments, parts.apns)
        let host = arguments.text("host") ?? ""
        let port: Int
        do { port = try await http.start() } catch {
            throw .failed(
                "cannot listen on "
                    + (host.hasPrefix("unix:") ? host : "\(host):\(arguments.text("port") ?? "")")
                    + ": "
                    + PortHolder.complaint(
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
