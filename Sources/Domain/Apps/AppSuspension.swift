/// Why nothing is sent for an app just now. What waits is kept, and goes out once the reason is
/// gone.
public enum AppSuspension: String, CaseIterable, Sendable {
    /// Nobody has added the app.
    case noApp = "no-app"
    /// The app has a key, but none for this environment.
    case noKey = "no-key"
    /// The node cannot open the app's key.
    case keySealed = "key-sealed"
    /// APNs refuses the key.
    case keyRefused = "key-refused"
    /// APNs refuses a token made just now as expired, or it refuses the key while the node's clock
    /// is not the database's.
    case clockWrong = "clock-wrong"
    /// APNs knows none of the push tokens here.
    case tokensUnfit = "tokens-unfit"

    /// Reasons of an app without a usable key: APNs was not asked, and no alarm is raised.
    public static let withoutKey: [AppSuspension] = [.noApp, .noKey, .keySealed]
}

/// Phones that wait because nothing is sent for their app. Of a tenant or an activity no more than
/// `Limits.countedMax` of each sort are counted, and those of `Limits.appsCountedMax` apps.
public struct DeferredPhones: Hashable, Sendable {
    /// The tenant's app in one environment.
    public var app: TenantApp
    /// Why nothing is sent for it.
    public var suspension: AppSuspension
    /// Phones with a card that wait for the newest state.
    public var count: Int
    /// Phones on which a card is to be started.
    public var starts: Int

    public init(app: TenantApp, suspension: AppSuspension, count: Int, starts: Int = 0) {
        self.app = app
        self.suspension = suspension
        self.count = count
        self.starts = starts
    }
}

extension [DeferredPhones] {
    /// All, those of the most phones first.
    public var mostFirst: [DeferredPhones] {
        sorted { $0.count + $0.starts > $1.count + $1.starts }
    }

    /// The first ones, which are named; how many more there are is said beside them.
    public var named: [DeferredPhones] { Array(mostFirst.prefix(Limits.appsShownMax)) }

    /// How many are not named.
    public var unnamedCount: Int { Swift.max(0, count - Limits.appsShownMax) }

    /// Only so many were counted.
    public var isPartial: Bool {
        count >= Limits.appsCountedMax
            || reduce(0) { $0 + $1.count } >= Limits.countedMax
            || reduce(0) { $0 + $1.starts } >= Limits.countedMax
    }
}

/// An app for which sending was stopped because of what APNs answered.
public struct AppAlarm: Hashable, Sendable {
    /// The tenant's app in one environment.
    public var app: TenantApp
    /// Why sending has stopped.
    public var suspension: AppSuspension
    /// As APNs spells it.
    public var reason: String
    /// When it stopped.
    public var since: Moment
    /// When one push is to show whether APNs takes them again.
    public var probeAt: Moment

    public init(
        app: TenantApp, suspension: AppSuspension, reason: String, since: Moment, probeAt: Moment
    ) {
        self.app = app
        self.suspension = suspension
        self.reason = reason
        self.since = since
        self.probeAt = probeAt
    }

    /// When one push is tried, if that is still to come: while no phone waits nothing is tried.
    public func nextTry(for waiting: [DeferredPhones], after now: Moment) -> Moment? {
        probeAt > now && waiting.contains { $0.app == app } ? probeAt : nil
    }
}

extension [AppAlarm] {
    /// The named alarms, first those of apps for which the most phones wait: phones name their
    /// apps, and may make up any number. How many more there are is said beside them.
    public func named(_ deferred: [DeferredPhones]) -> [AppAlarm] {
        let phones = Dictionary(
            deferred.map { ($0.app, $0.count + $0.starts) }, uniquingKeysWith: +)
        let mostFirst = sorted { (phones[$0.app] ?? 0) > (phones[$1.app] ?? 0) }
        return Array(mostFirst.prefix(Limits.appsShownMax))
    }

    /// How many are not named.
    public var unnamedCount: Int { Swift.max(0, count - Limits.appsShownMax) }
}

/// An app of a tenant in one of Apple's environments: what pushes are sent for, and with whose key.
public struct TenantApp: Hashable, Sendable {
    /// The tenant whose keys sign the pushes.
    public var tenant: TenantID
    /// Bundle id and environment.
    public var app: AppInEnvironment

    public init(tenant: TenantID, app: AppInEnvironment) {
        self.tenant = tenant
        self.app = app
    }

    public init(tenant: TenantID, bundleID: String, environment: APNsEnvironment) {
        self.init(
            tenant: tenant, app: AppInEnvironment(bundleID: bundleID, environment: environment))
    }
}
