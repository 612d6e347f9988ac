import APNs
import APNsClient
public import Delivery
import DeliveryRules
public import Domain
import EventLoop
public import EventStore
import TLS

/// Sends what goes to APNs with the key of its tenant's app, and stops an app whose pushes APNs
/// refuses. Follows what is added, rotated and removed while it runs.
///
/// The lock is for look-ups; nobody waits for anything while they have it.
public final class AppRouter: Sendable {
    enum ClientLookup {
        case usable(AppClients)
        case unusable(AppSuspension)
    }

    struct State {
        var clientTable = AppClientTable()
        var gates: [TenantApp: AppGate] = [:]
        /// What APNs has just answered where it refuses an app's key for broadcasts.
        var refusedBroadcasts: [TenantApp: RefusedBroadcast] = [:]
        /// Apps whose alarm stands in the database.
        var appsWithAlarm: Set<TenantApp> = []
        /// Alarms whose probe has been due for long.
        var idle: [AppAlarm] = []
        /// Apps without a key that the operators have been warned of.
        var warnedApps: [TenantID: Set<AppInEnvironment>] = [:]
        /// The key for apps without one of their own.
        var fallback: APNsCredentials?
        var hasReadKeys = false

        /// Phones name the apps that go with the fallback key, and may name any: of so many, the
        /// rest are never stopped.
        func mayHaveGate(_ app: TenantApp) -> Bool {
            gates[app] != nil || clientTable.entries[app] != nil || gates.count < AppRouter.gatesMax
        }
    }

    public let setup: APNsSetup
    let store: EventStore
    let now: @Sendable () -> Moment
    let report: @Sendable (AppDiagnostic) -> Void
    let state: Lock<State>

    public init(
        _ setup: APNsSetup, store: EventStore, now: @escaping @Sendable () -> Moment,
        report: @escaping @Sendable (AppDiagnostic) -> Void
    ) {
        self.setup = setup
        self.store = store
        self.now = now
        self.report = report
        var state = State()
        if let credentials = setup.fallback {
            state.fallback = credentials
            state.clientTable.fallback = setup.fallbackClients(credentials)
        }
        self.state = Lock(state)
    }

    public var transport: PushTransport {
        PushTransport(
            pushAll: { await self.push($0, $1) }, suspension: { self.suspension($0)?.rawValue })
    }

    public func close() async {
        let clients = state.withLock { $0.clientTable.all }
        for clients in clients { await clients.close() }
    }

    /// Why nothing is sent for the app just now; nil when something is, or a probe is due.
    private func suspension(_ app: TenantApp) -> AppSuspension? {
        let moment = now()
        let suspension = state.withLock { state -> AppSuspension? in
            if case .unusable(let suspension) = state.clientTable.lookUp(app) { return suspension }
            return state.gates[app]?.suspension(at: moment)
        }
        if let suspension { warnOnce(app, suspension) }
        return suspension
    }

    /// Whether its pushes have a key that they can go with. APNs may refuse that.
    public func hasKey(for app: TenantApp) -> Bool {
        state.withLock { state -> Bool in
            guard case .usable = state.clientTable.lookUp(app) else { return false }
            return true
        }
    }

    // MARK: Sending

    private func push(_ app: TenantApp, _ requests: [APNsRequest]) async -> [PushResult] {
        var results = [PushResult?](repeating: nil, count: requests.count)
        for (indices, isProven) in order(requests, of: app) {
            let sent = await send(requests.picked(indices), for: app, isProven: isProven)
            precondition(sent.count == indices.count, "one answer for each push")
            for (index, result) in zip(indices, sent) { results[index] = result }
        }
        return results.compactMap(\.self)
    }

    /// All together; while an app's tokens are in doubt, those first that APNs had accepted before,
    /// which show soonest that nothing is wrong with the app.
    private func order(
        _ requests: [APNsRequest], of app: TenantApp
    ) -> [(indices: [Int], isProven: Bool)] {
        let isInDoubt = state.withLock { $0.gates[app]?.suspension == .tokensUnfit }
        guard isInDoubt else { return [(Array(requests.indices), false)] }
        let proven = requests.indices.filter { requests[$0].origin?.isProven == true }
        let others = requests.indices.filter { requests[$0].origin?.isProven != true }
        return [(proven, true), (others, false)].filter { !$0.0.isEmpty }
    }

    /// With the key that the app has now, and once more when that is another one by the time of a
    /// refusal.
    /// - Parameter isProven: APNs had accepted their tokens before.
    /// - Returns: the result of each, in the order of the requests.
    private func send(
        _ requests: [APNsRequest], for app: TenantApp, isProven: Bool
    ) async -> [PushResult] {
        var results = [PushResult?](repeating: nil, count: requests.count)
        var left = Array(requests.indices)
        while !left.isEmpty {
            let (clients, isProbe): (AppClients, Bool)
            switch route(for: app, isProven: isProven) {
            case .deferred(let suspension, let seconds):
                for index in left {
                    results[index] = .deferred(reason: suspension.rawValue, seconds: seconds)
                }
                return results.compactMap(\.self)
            case .through(let usable, let probe): (clients, isProbe) = (usable, probe)
            }
            let going = isProbe ? [left[0]] : left
            left.removeFirst(going.count)
            let answers = await clients.push(requests.picked(going))
            let evidence = zip(going, answers).map { $1.evidence(of: requests[$0].origin) }
            let judged = await judgeAndReact(app, clients, answers, evidence, isProbe: isProbe)
            for (index, result) in zip(going, judged) {
                if let result { results[index] = result } else { left.append(index) }
            }
        }
        return results.compactMap(\.self)
    }

    private enum Route {
        case through(AppClients, isProbe: Bool)
        case deferred(AppSuspension, seconds: Double)
    }

    /// With which clients pushes go now, and whether one goes first as a probe; or why all wait.
    private func route(for app: TenantApp, isProven: Bool) -> Route {
        let moment = now()
        let route = state.withLock { state -> Route in
            switch state.clientTable.lookUp(app) {
            case .unusable(let suspension):
                return .deferred(suspension, seconds: DeliveryRules.Limits.deferredPhoneSeconds)
            case .usable(let clients):
                var isProbe = false
                switch state.gates[app]?.admit(at: moment, isProven: isProven) {
                case .deferred(let suspension, let seconds):
                    return .deferred(suspension, seconds: seconds)
                case .probe: isProbe = true
                case .send, nil: break
                }
                clients.begin()
                return .through(clients, isProbe: isProbe)
            }
        }
        if case .deferred(let suspension, _) = route { warnOnce(app, suspension) }
        return route
    }

    // MARK: What answers say

    /// - Returns: what counts as the result of each; nil where the key was refused and is not the
    ///   app's any more.
    private func judgeAndReact(
        _ app: TenantApp, _ clients: AppClients, _ results: [PushResult],
        _ evidence: [AppGate.Evidence?], isProbe: Bool
    ) async -> [PushResult?] {
        // Most pushes of most apps.
        if evidence.allSatisfy({ $0 == nil || $0 == .fits }) {
            let (moment, hasFit) = (now(), evidence.contains(.fits))
            let isFine = state.withLock { state in
                guard state.gates[app]?.isClear ?? true, !state.appsWithAlarm.contains(app) else {
                    return false
                }
                if hasFit, state.mayHaveGate(app) {
                    // Of a clear gate it changes nothing but when a token was accepted last.
                    _ = state.gates[app, default: AppGate()].answered(
                        .fits, isProbe: isProbe, at: moment)
                }
                return true
            }
            if isFine { return results }
        }
        var judged: [PushResult?] = []
        for (result, evidence) in zip(results, evidence) {
            guard let evidence else {
                judged.append(result)
                continue
            }
            judged.append(await judgeOne(app, clients, result, evidence, isProbe: isProbe))
        }
        return judged
    }

    private func judgeOne(
        _ app: TenantApp, _ clients: AppClients, _ result: PushResult,
        _ evidence: AppGate.Evidence, isProbe: Bool
    ) async -> PushResult? {
        let moment = now()
        var isRefused = false
        if case .keyRefused = evidence { isRefused = true }
        let (isCurrent, change) = state.withLock { state -> (Bool, AppGate.Change?) in
            guard case .usable(let present) = state.clientTable.lookUp(app), present === clients
            else {
                return (false, nil)
            }
            guard state.mayHaveGate(app) else { return (true, nil) }
            let change = state.gates[app, default: AppGate()].answered(
                evidence, isProbe: isProbe, at: moment)
            // This gate is clear, but the alarm stands in the database: another node, whose clock
            // is wrong, was refused.
            if change == nil, evidence == .fits, state.appsWithAlarm.remove(app) != nil {
                return (true, .resumed)
            }
            return (true, change)
        }
        guard isCurrent else { return isRefused ? nil : result }
        if let change { await carryOut(change, app) }
        guard isRefused else { return result }
        let gate = state.withLock { $0.gates[app] }
        return .deferred(
            reason: (gate?.suspension ?? .keyRefused).rawValue,
            seconds: gate?.secondsLeft(at: moment) ?? DeliveryRules.Limits.deferredPhoneSeconds)
    }

    /// Tells the other nodes and the operators. What cannot be written down now is found out again.
    private func carryOut(_ change: AppGate.Change, _ app: TenantApp) async {
        switch change {
        case .stopped(let suspension, let reason, let probeAt):
            let (actual, clockAhead) = await raise(app, suspension, reason, probeAt)
            report(.stopped(app, actual, reason: reason, clockAhead: clockAhead))
        case .stillStopped(let suspension, let reason, let probeAt):
            let (actual, _) = await raise(app, suspension, reason, probeAt)
            report(.stillStopped(app, actual, reason: reason))
        case .resumed:
            state.withLock { _ = $0.appsWithAlarm.remove(app) }
            do throws(EventStoreError) {
                try await store.apps.clear(app)
                try await store.apps.release(app)
            } catch { report(.store(error)) }
            report(.resumed(app))
        }
    }

    /// What is written down is by the database's clock, which is the same for all nodes. A provider
    /// token is valid by the node's, and APNs may refuse it without saying that it was that.
    /// - Returns: why it was really stopped, and how far this node's clock is ahead of the
    ///   database's, which may be another machine's: nil unless the two are far apart.
    private func raise(
        _ app: TenantApp, _ suspension: AppSuspension, _ reason: String, _ probeAt: Moment
    ) async -> (AppSuspension, clockAhead: Double?) {
        let ours = now()
        var (actual, clockAhead): (AppSuspension, Double?) = (suspension, nil)
        do throws(EventStoreError) {
            let theirs = try await store.deliveries.time()
            let ahead = ours.seconds(since: theirs)
            let isOfKey = suspension == .keyRefused || suspension == .clockWrong
            if isOfKey, abs(ahead) > Self.clockSecondsMax {
                (actual, clockAhead) = (.clockWrong, ahead)
            }
            state.withLock { [actual] in $0.gates[app]?.correct(actual) }
            try await store.apps.raise(
                AppAlarm(
                    app: app, suspension: actual, reason: reason, since: theirs,
                    probeAt: theirs.adding(seconds: probeAt.seconds(since: ours))))
            state.withLock { _ = $0.appsWithAlarm.insert(app) }
        } catch { report(.store(error)) }
        return (actual, clockAhead)
    }

    func warnOnce(_ app: TenantApp, _ suspension: AppSuspension) {
        // A stop was reported when it came.
        guard AppSuspension.withoutKey.contains(suspension) else { return }
        let isNew = state.withLock {
            $0.warnedApps[app.tenant, default: []].count < Self.warnedAppsMax
                && $0.warnedApps[app.tenant, default: []].insert(app.app).inserted
        }
        if isNew { report(.waiting(app, suspension)) }
    }

    private static let clockSecondsMax: Double = 300
    /// Apps of a tenant that the log says are missing: phones name them, and may name any. `GET
    /// /v1/apps` shows a tenant all of its own.
    static let warnedAppsMax = Domain.Limits.appsShownMax
    /// Apps of the fallback key that are watched, and so alarms in the database.
    static let gatesMax = 1_000
    /// Alarms that are looked at in one go, whether something waits.
    static let idleAtOnceMax = 100
}

extension PushResult {
    fileprivate func evidence(of origin: PushOrigin?) -> AppGate.Evidence? {
        guard case .answered(let response) = self else { return nil }
        return AppGate.Evidence(response, of: origin)
    }
}

extension Array {
    /// The elements at these indices. All of them as they stand is the usual case, and copies none;
    /// a probe that is sent again comes last.
    fileprivate func picked(_ chosen: [Int]) -> [Element] {
        chosen.elementsEqual(indices) ? self : chosen.map { self[$0] }
    }
}
