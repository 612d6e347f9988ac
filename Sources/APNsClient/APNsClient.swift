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
    private let now: @Sendable () -> Int64
    private var mint: TokenMint
    var connections: [PooledConnection] = []
    /// The one attempt to connect that is under way.
    var opening: Task<Void, Never>?
    var line = WaitingLine()
    var lineTimer: LoopTimer?
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

    /// Sends one push and waits for the answer, for `APNsTiming.pushDeadline` at most.
    ///
    /// What the peer certainly did not process is sent again, a few times; what it may have is not.
    public func push(_ request: PushRequest) async -> PushResult {
        switch await exchange(Outgoing(request)) {
        case .success(let response): return .answered(Self.pushResponse(response))
        case .failure(let failure):
            return .notAnswered(
                reason: failure.reason, mayHaveBeenDelivered: failure.mayHaveBeenDone)
        }
    }

    /// Sends a request about channels likewise. Broadcasts and the management of channels have
    /// endpoints of their own, and so take clients of their own.
    public func ask(_ request: BroadcastRequest) async -> BroadcastResult {
        switch await exchange(Outgoing(request)) {
        case .success(let response): return .answered(Self.broadcastResponse(response))
        case .failure(let failure):
            return .notAnswered(
                reason: failure.reason, mayHaveBeenDone: failure.mayHaveBeenDone)
        }
    }

    private func exchange(_ request: Outgoing) async -> Result<Response, NoAnswer> {
        let due = ContinuousClock.now + timing.pushDeadline
        var resends = 0
        var isRenewed = false
        while true {
            switch await attempt(request, by: due, isMoved: resends > 0) {
            case .answered(let response, let token, let connection):
                guard !isRenewed, Self.isExpired(response),
                    mint.renew(refused: token, at: now())
                else { return .success(response) }
                // APNs holds an expired token against the connection, so that goes too.
                isRenewed = true
                connection.http.retire()
            case .failed(let error, isSafe: true) where resends < Limits.resendsMax:
                guard !isClosed, ContinuousClock.now < due else {
                    return .failure(.unsent(error.reason))
                }
                resends += 1
            case .failed(let error, let isSafe):
                return .failure(NoAnswer(reason: error.reason, mayHaveBeenDone: !isSafe))
            case .unreachable(let noAnswer): return .failure(noAnswer)
            }
        }
    }

    /// Closes the connections and sends nothing more. Pushes under way are not answered.
    public func close() async {
        isClosed = true
        let open = connections
        connections = []
        lineTimer?.cancel()
        lineTimer = nil
        dismissLine(.closed)
        for connection in open { await connection.http.close() }
    }

    // MARK: One attempt

    private enum Attempt {
        case answered(Response, token: Int, PooledConnection)
        case failed(HTTPError, isSafe: Bool)
        /// There was no stream in time.
        case unreachable(NoAnswer)
    }

    private func attempt(
        _ request: Outgoing, by due: ContinuousClock.Instant, isMoved: Bool
    ) async -> Attempt {
        let lease: StreamLease
        switch await stream(by: due, isMoved: isMoved) {
        case .success(let free): lease = free
        case .failure(let noAnswer): return .unreachable(noAnswer)
        }
        // A push that waited must not take a token that has grown old meanwhile: minted only now.
        let token = mint.token(at: now())
        let remaining = due - ContinuousClock.now
        let outcome: Result<Response, HTTPError>
        do throws(HTTPError) {
            guard remaining > .zero else { throw .unsentInTime }
            let response = try await lease.connection.http.send(
                request.http(authorization: token.authorization),
                deadline: remaining)
            outcome = .success(response)
        } catch {
            outcome = .failure(error)
        }
        giveBack(lease, outcome)
        switch outcome {
        case .success(let response):
            return .answered(response, token: token.number, lease.connection)
        case .failure(let error): return .failed(error, isSafe: error.isSafeToResend)
        }
    }

    private static func isExpired(_ response: Response) -> Bool {
        response.status == 403 && pushResponse(response).reason == .known(.expiredProviderToken)
    }

    private static func pushResponse(_ response: Response) -> PushResponse {
        let apnsID = response.headers["apns-id"]
        switch response.body {
        case .bytes(let body) where !body.isEmpty:
            return PushResponse(status: response.status, apnsID: apnsID, body: body)
        case .bytes, .stream:
            return PushResponse(status: response.status, apnsID: apnsID)
        }
    }

    private static func broadcastResponse(_ response: Response) -> BroadcastResponse {
        let body: [UInt8] = if case .bytes(let bytes) = response.body { bytes } else { [] }
        return BroadcastResponse(
            status: response.status, requestID: response.headers["apns-request-id"],
            channelID: response.headers["apns-channel-id"], body: body)
    }
}

/// A request of either kind, as the connection takes it.
private struct Outgoing {
    var method: String
    var path: String
    var headers: [PushRequest.Header]
    var body: [UInt8]

    init(_ push: PushRequest) {
        (method, path, headers, body) = ("POST", push.path, push.headers, push.body)
    }

    init(_ request: BroadcastRequest) {
        method = request.method.rawValue
        (path, headers, body) = (request.path, request.headers, request.body)
    }

    func http(authorization: String) -> Request {
        var fields = Headers()
        fields.reserveCapacity(headers.count + 1)
        fields.append("authorization", authorization)
        for header in headers { fields.append(header.name, header.value) }
        return Request(method: method, target: path, headers: fields, body: body)
    }
}
