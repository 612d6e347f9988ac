public import APNs
public import Delivery
import DeliveryRules
public import Domain
import EventLoop

/// Channels of apps, and broadcasts to them.
extension AppRouter {
    struct RefusedBroadcast {
        var response: PushResponse
        var answeredAt: Moment

        /// The node's clock may have been set back since.
        func counts(at moment: Moment) -> Bool {
            (0..<AppRouter.refusedBroadcastSeconds).contains(moment.seconds(since: answeredAt))
        }
    }

    /// Nil when there is nowhere to make channels.
    public var broadcasts: BroadcastTransport? {
        guard setup.canBroadcast else { return nil }
        return { app, request in
            if request.service == .broadcast { return await self.broadcast(app, request) }
            return await self.ask(app, request)
        }
    }

    /// Each change of each activity brings one. Where APNs refuses the app's key, or this node's
    /// clock, that answer counts for all broadcasts of the next seconds, and none of these leaves.
    private func broadcast(_ app: TenantApp, _ request: APNsRequest) async -> PushResult {
        let moment = now()
        let refused = state.withLock { $0.refusedBroadcasts[app] }
        if let refused, refused.counts(at: moment) { return .answered(refused.response) }
        let result = await ask(app, request)
        if case .answered(let response) = result,
            response.verdict == .credentialsRefused
                || response.reason == .known(.expiredProviderToken)
        {
            let refused = RefusedBroadcast(response: response, answeredAt: now())
            state.withLock { state in
                // Phones name their apps, and may name any.
                state.refusedBroadcasts = state.refusedBroadcasts.filter {
                    $0.value.counts(at: refused.answeredAt)
                }
                state.refusedBroadcasts[app] = refused
            }
        }
        return result
    }

    /// A key that pushes are refused with is not tried on channels either. What APNs answers about
    /// these says nothing of pushes, as a key may be for the topic of the ones and not of the
    /// others: it stops nothing, and no such request is a probe.
    private func ask(_ app: TenantApp, _ request: APNsRequest) async -> PushResult {
        let moment = now()
        let found = state.withLock { state -> ClientLookup in
            let found = state.clientTable.lookUp(app)
            guard case .usable(let clients) = found else { return found }
            // Tokens that do not fit are no fault of the key.
            if let suspension = state.gates[app]?.suspension(at: moment),
                suspension != .tokensUnfit
            {
                return .unusable(suspension)
            }
            clients.begin()
            return found
        }
        switch found {
        case .usable(let clients): return await clients.ask(request)
        case .unusable(let suspension):
            warnOnce(app, suspension)
            return .deferred(
                reason: suspension.rawValue, seconds: DeliveryRules.Limits.deferredPhoneSeconds)
        }
    }

    /// Whether any tenant has a key for it, and it may have channels.
    public func hasKey(for app: AppInEnvironment) -> Bool {
        state.withLock { $0.clientTable.clients(forAnyTenantOf: app) != nil }
    }

    /// Asks APNs what operators want to know about an app, which is no tenant's question.
    /// - Returns: nil when there is no key for it.
    public func manage(_ app: AppInEnvironment, _ request: APNsRequest) async -> PushResult? {
        let clients = state.withLock { state in
            let clients = state.clientTable.clients(forAnyTenantOf: app)
            clients?.begin()
            return clients
        }
        return await clients?.ask(request)
    }

    private static let refusedBroadcastSeconds: Double = 10
}
