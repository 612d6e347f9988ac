public import APNs
public import EventLoop
import HTTP
public import TLS

/// Sends pushes to one endpoint with one key, over a connection that it opens when it is needed and
/// replaces when it is lost.
///
/// An actor on the loop that carries its connections, so that a push from a task on that loop never
/// changes threads.
public actor APNsClient {
    let loop: EventLoop
    let endpoint: APNsEndpoint
    let tls: TLSContext
    let timing: APNsTiming
    let jitter: @Sendable () -> Double
    private let now: @Sendable () -> Int64
    private var mint: TokenMint
    var connections: [ProvenConnection] = []
    var opening: Task<Result<Void, HTTPError>, Never>?
    var backoff: Backoff
    var isClosed = false

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        loop.asUnownedSerialExecutor()
    }

    /// - Parameters:
    ///   - now: Unix seconds, for the provider token.
    ///   - jitter: from 0 up to 1, spreads attempts to reconnect.
    public init(
        loop: EventLoop, endpoint: APNsEndpoint, tls: TLSContext, credentials: APNsCredentials,
        timing: APNsTiming = .standard, now: @escaping @Sendable () -> Int64,
        jitter: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
    ) {
        self.loop = loop
        self.endpoint = endpoint
        self.tls = tls
        self.timing = timing
        self.now = now
        self.jitter = jitter
        mint = TokenMint(credentials)
        backoff = Backoff(timing)
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

    private struct NoAnswer: Error {
        var reason: String
        var mayHaveBeenDone: Bool

        init(_ error: HTTPError, isSafe: Bool) {
            reason = error.reason
            mayHaveBeenDone = !isSafe
        }
    }

    private func exchange(_ request: Outgoing) async -> Result<Response, NoAnswer> {
        let due = ContinuousClock.now + timing.pushDeadline
        var resends = 0
        var isRenewed = false
        while true {
            switch await attempt(request, by: due) {
            case .answered(let response, let token, let connection):
                guard !isRenewed, Self.isExpired(response),
                    mint.renew(refused: token, at: now())
                else { return .success(response) }
                // APNs holds an expired token against the connection, so that goes too.
                isRenewed = true
                connection.http.retire()
            case .failed(let error, isSafe: true) where resends < Limits.resendsMax:
                guard !isClosed, ContinuousClock.now < due else {
                    return .failure(NoAnswer(error, isSafe: true))
                }
                resends += 1
            case .failed(let error, let isSafe):
                return .failure(NoAnswer(error, isSafe: isSafe))
            case .unreachable(let error):
                return .failure(NoAnswer(error, isSafe: true))
            }
        }
    }

    /// Closes the connections and sends nothing more. Pushes under way are not answered.
    public func close() async {
        isClosed = true
        let open = connections
        connections = []
        for connection in open { await connection.http.close() }
    }

    // MARK: One attempt

    private enum Attempt {
        case answered(Response, token: Int, ProvenConnection)
        case failed(HTTPError, isSafe: Bool)
        /// There is no connection and there was none in time.
        case unreachable(HTTPError)
    }

    private func attempt(
        _ request: Outgoing, by due: ContinuousClock.Instant
    ) async -> Attempt {
        let connection: ProvenConnection
        switch await usableConnection(by: due) {
        case .success(let usable): connection = usable
        case .failure(let error): return .unreachable(error)
        }
        let goesFirst = await connection.admission()
        // A push that waited must not take a token that has grown old meanwhile: minted only now.
        let token = mint.token(at: now())
        let remaining = due - ContinuousClock.now
        let outcome: Result<Response, HTTPError>
        do throws(HTTPError) {
            guard remaining > .zero else { throw .deadlineExceeded }
            let response = try await connection.http.send(
                request.http(authorization: token.authorization),
                deadline: remaining)
            outcome = .success(response)
        } catch {
            outcome = .failure(error)
        }
        if goesFirst { report(outcome, on: connection) }
        switch outcome {
        case .success(let response):
            return .answered(response, token: token.number, connection)
        case .failure(let error):
            return .failed(error, isSafe: error.isSafeToResend || remaining <= .zero)
        }
    }

    /// A connection whose first request fails is as good as one that could not be opened.
    private func report(_ outcome: Result<Response, HTTPError>, on connection: ProvenConnection) {
        switch outcome {
        case .success(let response):
            backoff.succeeded()
            connection.report(isAnsweredWell: response.status != 403)
        case .failure(let error):
            if error == .deadlineExceeded { connection.http.retire() }
            if !connection.http.isUsable { backoff.failed() }
            connection.report(isAnsweredWell: false)
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

extension HTTPError {
    /// For people and logs. Holds host names, OpenSSL's and nghttp2's words, and numbers.
    fileprivate var reason: String {
        switch self {
        case .cannotListen(let reason), .cannotConnect(let reason):
            "cannot connect: \(reason)"
        case .tls(let reason): "TLS: \(reason)"
        case .connectionClosed: "the connection was lost"
        case .goingAway: "the peer closes the connection"
        case .streamReset(let code): "the stream was reset with code \(code)"
        case .deadlineExceeded: "no answer in time"
        case .protocolViolation(let reason): "protocol violation: \(reason)"
        case .tooLarge: "the answer was too large"
        }
    }
}
