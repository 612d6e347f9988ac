import HTTP

/// A connection and how much of it is in use. The first request on it goes alone.
///
/// APNs allows one stream until a request with a valid provider token has been answered.
///
/// `@unchecked Sendable`: touched only by the actor that made it, on its loop's thread.
final class PooledConnection: @unchecked Sendable {
    private enum Phase {
        case untried
        /// The first request is under way.
        case proving
        case proven
    }

    let http: HTTP2Connection
    /// When the attempt to open it began.
    let begunAt: ContinuousClock.Instant
    private var phase = Phase.untried
    private(set) var streamsInUse = 0
    /// Requests that came to something here, if only to a stream that was reset.
    private(set) var answers = 0
    /// Number of the provider token that requests show here, and since when.
    private var shown: (token: Int, since: Int64)?
    private(set) var hasChangedToken = false
    /// APNs has refused a request here over the connection itself, and is to be expected to refuse
    /// all others, however good their provider token is.
    private(set) var isSpoilt = false

    init(_ http: HTTP2Connection, begunAt: ContinuousClock.Instant) {
        self.http = http
        self.begunAt = begunAt
    }

    var isProven: Bool { phase == .proven }

    /// The peer may change its limit at any time, down to none.
    var hasRoom: Bool {
        let streamsMax = isProven ? http.peerStreamsMax : min(1, http.peerStreamsMax)
        return http.isUsable && streamsInUse < streamsMax
    }

    /// Takes a stream.
    /// - Returns: whether this is the first request, which goes alone and must `prove`.
    func take() -> Bool {
        streamsInUse += 1
        guard phase == .untried else { return false }
        phase = .proving
        return true
    }

    /// Takes note of the provider token of the next request.
    /// - Parameter now: Unix seconds.
    /// - Returns: false when APNs may refuse it here, because the one before is too new.
    func show(_ token: TokenMint.Token, at now: Int64) -> Bool {
        if let shown {
            if shown.token == token.number { return true }
            let seconds = abs(now - shown.since)
            guard seconds >= Limits.providerTokenShownSecondsMin else { return false }
            hasChangedToken = true
        }
        shown = (token.number, now)
        return true
    }

    func spoil() { isSpoilt = true }

    /// Whether another one is to take its place now.
    /// - Parameter delay: how old one is at least then.
    func isOver(after delay: Duration) -> Bool {
        isSpoilt && ContinuousClock.now - begunAt >= delay
    }

    /// - Parameter isAnswered: the request did not just run into its deadline.
    func giveBack(isAnswered: Bool) {
        streamsInUse -= 1
        if isAnswered { answers += 1 }
    }

    /// Takes the result of the first request. If it was not answered well, another one goes first.
    func prove(isAnsweredWell: Bool) {
        phase = isAnsweredWell ? .proven : .untried
    }
}
