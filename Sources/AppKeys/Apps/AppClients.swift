import APNs
import APNsClient
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

    /// To be called before each of the requests below, so that nobody closes what it needs.
    func begin() { uses.withLock { $0.underWay += 1 } }

    func push(_ requests: [PushRequest]) async -> [PushResult] {
        let results = await pushes.push(requests)
        await end()
        return results
    }

    /// A broadcast, or a call that manages channels.
    func ask(_ request: PushRequest) async -> PushResult {
        guard let client = request.service == .broadcast ? broadcasts : channels else {
            preconditionFailure("nowhere to make channels")
        }
        let result = await client.push(request)
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
}
