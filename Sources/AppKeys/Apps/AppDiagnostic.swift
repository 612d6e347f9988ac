import DatabaseAccess
public import Domain
public import EventStore
import Explaining
public import Terminal

/// What operators should know about apps; never has a key or a token.
public enum AppDiagnostic: Hashable, Sendable {
    /// Phones wait, because the app has no key here.
    case waiting(TenantApp, AppSuspension)
    /// APNs refuses what is sent for the app.
    /// - `clockAhead`: seconds by which this node's clock is ahead of the database's, when that
    ///   explains it.
    case stopped(TenantApp, AppSuspension, reason: String, clockAhead: Double?)
    case stillStopped(TenantApp, AppSuspension, reason: String)
    case resumed(TenantApp)
    /// The alarm is over, since nothing waits for the app that could show whether APNs takes it.
    case idle(TenantApp)
    /// A key that the database has cannot be used.
    case unreadable(AppKeyIdentity, why: String)
    /// Nothing can be signed for a webhook, so it is sent nothing.
    case unsigned(webhook: String, why: String)
    case store(EventStoreError)

    public func write(to log: Log) {
        switch self {
        case .waiting(let app, let suspension):
            log(
                .warning, "phones wait: \(suspension.explanation(for: app.app))", Self.fields(app))
        case .stopped(let app, let suspension, let reason, let clockAhead):
            var fields = Self.fields(app).merging(["reason": reason, "hold": suspension.rawValue]) {
                $1
            }
            if let clockAhead { fields["clockAheadSeconds"] = "\(Int(clockAhead))" }
            log(
                .error,
                "sending was stopped: \(suspension.explanation(for: app.app, reason: reason))",
                fields)
        case .stillStopped(let app, let suspension, let reason):
            log(
                .error,
                "sending stays stopped: \(suspension.explanation(for: app.app, reason: reason))",
                Self.fields(app).merging(["reason": reason, "hold": suspension.rawValue]) { $1 })
        case .resumed(let app):
            log(.info, "sending goes on: APNs takes pushes of the app again", Self.fields(app))
        case .idle(let app):
            log(
                .info, "the alarm is over: nothing waits for the app, and the next push shows more",
                Self.fields(app))
        case .unreadable(let identity, let why):
            log(
                .error, "an app's key cannot be used: \(why)",
                [
                    "tenant": "\(identity.tenant.rawValue)", "bundleId": identity.bundleID,
                    "keyId": identity.keyID,
                ])
        case .unsigned(let webhook, let why):
            log(.error, "nothing is sent to a webhook: \(why)", ["webhook": webhook])
        case .store(let error):
            log.failed("apps' keys could not be read", error)
        }
    }

    private static func fields(_ app: TenantApp) -> [String: String] {
        [
            "tenant": "\(app.tenant.rawValue)", "bundleId": app.app.bundleID,
            "environment": app.app.environment.rawValue,
        ]
    }
}
