public import APNs
public import EventLoop
import HTTP
public import TLS

/// Sends pushes to one endpoint with one key, over connections that it opens when they are needed
/// and replaces when they are lost.
///
/// An actor on the loop that carries its connections, so that a push from a task on that loop never
/// changes threads.
public actor APNsClient {
    let loop: EventLoop
    let endpoint: APNsEndpoint
    let tls: TLSContext
    let timing: APNsTiming
    let network: APNsNetwork
    let jitter: @Sendable () -> Double
    let now: @Sendable () -> Int64
    var mint: TokenMint
    var connections: [PooledConnection] = []
    /// The one attempt to connect that is under way.
    var opening: Task<Void, Never>?
    var queue = RequestQueue()
    var queueTimer: LoopTimer?
    /// How many pushes of pages may still begin in this iteration of the loop.
    var manyLeft = Limits.manyPerIteration
    var isClosed = false

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        loop.asUnownedSerialExecutor()
    }

    /// - Parameters:
    ///   - now: Unix seconds, for the provider token.
    ///   - network: shared by all clients of a process.
    ///   - jitter: from 0 up to 1, spreads attempts to reconnect.
    public init(
        loop: EventLoop, endpoint: APNsEndpoint, tls: TLSContext, credentials: APNsCredentials,
        timing: APNsTiming = .standard, network: APNsNetwork = APNsNetwork(),
        now: @escaping @Sendable () -> Int64,
        jitter: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
    ) {
        self.loop = loop
        self.endpoint = endpoint
        self.tls = tls
        self.timing = timing
        self.network = network
        self.now = now
        self.jitter = jitter
        mint = TokenMint(credentials)
    }

    /// Sends requests to one of APNs' services and waits for all answers, for
    /// `APNsTiming.pushDeadline` at most. Broadcasts and the management of channels have endpoints
    /// of their own, and so take clients of their own.
    ///
    /// What the peer certainly did not process is sent again, a few times; what it may have is not.
    /// A few pushes go before those of long lists, on a connection of their own if need be.
    /// - Returns: the result of each, in the order of the requests.
    public nonisolated func send(_ requests: [APNsRequest]) async -> [PushResult] {
        guard !requests.isEmpty else { return [] }
        let observer = network.observer
        observer?.asking(requests.count)
        return await withUnsafeContinuation { continuation in
            loop.runAtOnce {
                self.assumeIsolated { client in
                    let answers = Answers(requests.count) { results, renewed in
                        observer?.answered(results, to: requests, renewed: renewed)
                        continuation.resume(returning: results)
                    }
                    let batchSize = RequestQueue.BatchSize(requests.count)
                    for (index, request) in requests.enumerated() {
                        let pending = PendingRequest(
                            request, of: batchSize, within: client.timing.pushDeadline
                        ) { result, isRenewed in
                            answers.take(result, at: index, isRenewed: isRenewed)
                        }
                        client.attempt(pending)
                    }
                    if !client.queue.isEmpty { client.drainQueue() }
                }
            }
        }
    }

    /// As the other, for one.
    public nonisolated func send(_ request: APNsRequest) async -> PushResult {
        await send([request])[0]
    }

    /// Closes the connections and sends nothing more. Pushes under way are not answered.
    public func close() async {
        isClosed = true
        let open = connections
        connections = []
        queueTimer?.cancel()
        queueTimer = nil
        dismissQueue(.closed)
        for connection in open { await connection.http.close() }
    }

    // MARK: One request

    /// Begins it on a stream that is free. If none is, it waits in the queue.
    private func attempt(_ pending: PendingRequest) {
        if isClosed { return pending.end(.closed) }
        let batchSize = pending.batchSize
        if queue[batchSize].isEmpty, let slot = freeStream(for: batchSize) {
            return begin(pending, on: slot)
        }
        if !hasProvenConnection, let refusal = network.circuits.refusal(of: endpoint) {
            return pending.end(refusal)
        }
        // One that has waited before goes before the others.
        if pending.resends > 0 {
            queue[batchSize].prepend(pending)
        } else {
            queue[batchSize].append(pending)
        }
    }

    func begin(_ pending: PendingRequest, on slot: StreamSlot) {
        let remaining = pending.deadline - ContinuousClock.now
        guard remaining > .zero else {
            giveBack(slot, .failure(.unsentInTime), within: .zero)
            return pending.end(.unsent(HTTPError.unsentInTime.reason))
        }
        slot.connection.http.send(
            pending.request.http(authorization: slot.token.authorization), deadline: remaining
        ) { outcome in
            self.giveBack(slot, outcome, within: remaining)
            self.complete(pending, outcome, slot.token.number, slot.connection)
        }
    }

    private func complete(
        _ pending: PendingRequest, _ outcome: Result<Response, HTTPError>, _ token: Int,
        _ connection: PooledConnection
    ) {
        switch outcome {
        case .success(let response):
            answered(pending, PushResponse(response), token, connection)
        case .failure(let error) where error.isSafeToResend && pending.resends < Limits.resendsMax:
            guard !isClosed, ContinuousClock.now < pending.deadline else {
                return pending.end(.unsent(error.reason))
            }
            pending.resends += 1
            attempt(pending)
            drainQueue()
        case .failure(let error):
            pending.end(
                .notAnswered(
                    reason: error.reason, mayHaveBeenDelivered: !error.isSafeToResend))
        }
    }

    /// A connection that APNs calls unfit is left even when there is no other token to try: the
    /// same one may be taken elsewhere. But it serves for a while, so that ever new refusals do not
    /// open ever new connections.
    private func answered(
        _ pending: PendingRequest, _ response: PushResponse, _ token: Int,
        _ connection: PooledConnection
    ) {
        // Where it is the only token so far, another connection would not help.
        if connection.hasChangedToken, response.refuses(429, .tooManyProviderTokenUpdates) {
            connection.http.retire()
        }
        if response.verdict == .connectionUnfit { connection.spoil() }
        guard !pending.isRenewed, response.refuses(403, .expiredProviderToken),
            mint.renew(refused: token, at: now())
        else { return pending.end(.answered(response)) }
        // The new token needs a new connection, and at once.
        pending.isRenewed = true
        connection.http.retire()
        attempt(pending)
        drainQueue()
    }
}

/// Answers that come in any order, until the last one has come.
private final class Answers {
    private var results: [PushResult?]
    /// How many went out again with another token.
    private var renewed = 0
    private var missing: Int
    private let done: (_ results: [PushResult], _ renewed: Int) -> Void

    init(_ count: Int, done: @escaping (_ results: [PushResult], _ renewed: Int) -> Void) {
        results = Array(repeating: nil, count: count)
        missing = count
        self.done = done
    }

    func take(_ result: PushResult, at index: Int, isRenewed: Bool) {
        if isRenewed { renewed += 1 }
        results[index] = result
        missing -= 1
        if missing == 0 { done(results.compactMap(\.self), renewed) }
    }
}

extension PushResponse {
    fileprivate init(_ response: Response) {
        let body: [UInt8] = if case .bytes(let bytes) = response.body { bytes } else { [] }
        self.init(
            status: response.status, channelID: response.headers["apns-channel-id"], body: body)
    }

    fileprivate func refuses(_ status: Int, _ reason: Reason.Known) -> Bool {
        self.status == status && self.reason == .known(reason)
    }
}
