public import APNs
public import Domain
import Locks

/// How pushes are sent, and with whose key. The live one has `APNsClient`s for each app.
public struct PushTransport: Sendable {
    /// Pushes of one app, which are under way together.
    ///
    /// Waits for all answers, even in a cancelled task; they come in the order of the requests.
    public var pushAll: @Sendable (TenantApp, [APNsRequest]) async -> [PushResult]
    /// Why nothing is sent for an app just now; nil when something is.
    public var suspension: @Sendable (TenantApp) -> String?

    public init(
        pushAll: @escaping @Sendable (TenantApp, [APNsRequest]) async -> [PushResult],
        suspension: @escaping @Sendable (TenantApp) -> String? = { _ in nil }
    ) {
        self.pushAll = pushAll
        self.suspension = suspension
    }

    /// One that takes one push at a time, as those of tests do, has a task for each.
    public init(push: @escaping @Sendable (TenantApp, APNsRequest) async -> PushResult) {
        self.init(pushAll: { app, requests in
            await inParallel(requests) { await push(app, $0) }
        })
    }
}

extension PushTransport {
    /// Pushes of any apps.
    /// - Returns: the result of each, in the order of the requests.
    func push(_ requests: [(app: TenantApp, request: APNsRequest)]) async -> [PushResult] {
        let byApp = Dictionary(grouping: requests.indices) { requests[$0].app }
        let groups = byApp.values.sorted { $0[0] < $1[0] }
        let answers = await inParallel(groups) { indices in
            await pushAll(requests[indices[0]].app, indices.map { requests[$0].request })
        }
        var results = [PushResult?](repeating: nil, count: requests.count)
        for (indices, answers) in zip(groups, answers) {
            precondition(answers.count == indices.count, "one answer for each push")
            for (index, answer) in zip(indices, answers) { results[index] = answer }
        }
        return results.compactMap(\.self)
    }
}
