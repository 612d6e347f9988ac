import APNs
import APNsClient
import DeliveryRules
import EventLoop

/// The connections of one app in one environment, with one key. APNs ties a connection to the team
/// and bundle ids of its first push, so that no two apps share any.
public final class AppClients: Sendable {
    private let pushes: APNsClient
    private let broadcasts: APNsClient
    /// Nil when there is nowhere to make channels.
    private let channels: APNsClient?
    private let uses = Lock((underWay: 0, isRetired: false))

    init(pushes: APNsClient, broadcasts: APNsClient, channels: APNsClient?) {
        self.pushes = pushes
        self.broadcasts = broadcasts
        self.channels = channels
    }

    var hasChannels: Bool { channels != nil }

    /// To be called before each of the requests below, so that nobody closes what it needs.
    func begin() { uses.withLock { $0.underWay += 1 } }

    func push(_ requests: [APNsRequest]) async -> [PushResult] {
        let results = await pushes.send(requests)
        await end()
        return results
    }

    /// A push to a token that no phone has: if APNs takes the key, it refuses the push for the
    /// token.
    func tryKey(of bundleID: String) async -> PushResult {
        begin()
        let results = await push([
            APNsRequest.device(
                tokenHex: Self.nobody, bundleID: bundleID,
                apnsID: "00000000-0000-4000-8000-000000000000", priority: .conserving,
                expiration: 0, body: Array(#"{"aps":{}}"#.utf8))
        ])
        return results[0]
    }

    /// A broadcast, or a call that manages channels, which waits where there are none.
    func ask(_ request: APNsRequest) async -> PushResult {
        let client = request.service == .broadcast ? broadcasts : channels
        let result =
            await client?.send(request)
            ?? .deferred(
                reason: "no-channels", seconds: DeliveryRules.Limits.deferredPhoneSeconds)
        await end()
        return result
    }

    /// Closes the connections when what is under way has been answered.
    /// - Precondition: nobody begins anything any more.
    func retire() async {
        let isIdle = uses.withLock { uses in
            uses.isRetired = true
            return uses.underWay == 0
        }
        if isIdle { await close() }
    }

    func close() async {
        await pushes.close()
        await broadcasts.close()
        await channels?.close()
    }

    private func end() async {
        let isOver = uses.withLock { uses in
            uses.underWay -= 1
            return uses.isRetired && uses.underWay == 0
        }
        if isOver { await close() }
    }

    /// No phone has a token of nothing but zeros.
    private static let nobody = String(repeating: "0", count: 64)
}
