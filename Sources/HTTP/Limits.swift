/// What a server accepts from a client before it says no. Every wait and every buffer has an end,
/// so that no client can keep a connection or memory for nothing.
public struct ServerLimits: Hashable, Sendable {
    /// Request line and header fields together. Browsers with cookies stay below 8 KiB.
    public var headBytesMax = 16 * 1024
    /// Header fields, as each costs two strings.
    public var headersMax = 100
    /// A request's body, which is in memory whole: a thousand events of a usual size.
    public var bodyBytesMax = 1024 * 1024
    /// Bodies of all connections together, as far as they have come, until the answer. Without it
    /// every connection could have one of the largest at the same time. Likewise, and counted
    /// apart, answers that wait for their clients.
    public var reservedBytesMax = 512 * 1024 * 1024
    /// Of them, those of one client address. An eighth of the whole: room is left for others
    /// whatever one does.
    public var reservedBytesPerAddressMax = 64 * 1024 * 1024
    /// From a request's first byte to the end of its head. Also for a new connection's first byte.
    public var headTimeoutSeconds: Double = 10
    /// From the end of the head to the end of the body, however the bytes trickle in.
    public var bodyTimeoutSeconds: Double = 20
    /// Between two pieces of a body that is streamed; the whole may take any time.
    public var streamIdleTimeoutSeconds: Double = 30
    /// Between two requests on one connection; proxies keep theirs for about a minute.
    public var idleTimeoutSeconds: Double = 75
    /// For the client's system to take each `unsentBytesMax` of what waits for it, when it reads
    /// slowly or not at all, and over HTTP/2 also each `HTTP2Limits.renewingBytes` of a stream.
    public var writeTimeoutSeconds: Double = 20
    /// Each takes a descriptor and about 10 KiB, and may keep 48 KiB of buffers between requests.
    public var connectionsMax = 8_192
    /// Of them, those of one client address that is no trusted proxy. An eighth of the whole, for
    /// the same reason; an office behind one address stays far below.
    public var connectionsPerAddressMax = 1_024
    /// Input taken ahead of the request being answered; then reading stops.
    public var pipelinedBytesMax = 64 * 1024
    /// Of a streamed body, input that its consumer has not taken yet; then reading stops.
    public var streamedBytesMax = 256 * 1024
    /// Output in a connection's socket that the client has not taken yet; then the rest of the
    /// answer, the next request or chunk waits. What waits elsewhere is counted, and this is not:
    /// all connections of one address have 64 MB of it together.
    public var unsentBytesMax = 64 * 1024

    public static let standard = ServerLimits()
}

/// Bounds that nobody needs to set.
enum Limits {
    /// Head of a proxy's answer to `CONNECT`.
    static let responseHeadBytesMax = 32 * 1024

    /// How finely deadlines are watched; a timeout can be this much late.
    static let sweepMillis = 100

    /// Connections over the limit that are refused with a 503 at the same time; a flood beyond
    /// them is closed without a word.
    static let refusalsMax = 64

    /// How long a draining server keeps idle connections. A client that asks again within it has
    /// its answer with `Connection: close`, and so learns of the end before it sends what nobody
    /// reads; what remains is a request that is on its way in the very moment of closing.
    static let drainGraceMillis = 500

    /// How long a draining server lets readers wait for news (long poll).
    static let drainPatienceMillis = 1_000

    /// A body or line buffer that grew beyond this is freed after its request: nearly every body
    /// fits, and idle connections keep little.
    static let keptBodyBytesMax = 16 * 1024

    /// A body of up to this size that has come together with its head is handed over without asking
    /// first whose it is: it is in memory anyway, and there it takes no more than what is read in
    /// one go. Eight thousand of them take a quarter of what bodies may.
    static let freeBodyBytesMax = 16 * 1024

    /// One in so many bytes that may be reserved for bodies may also be for heads: those of a
    /// thousand requests of one address at least.
    static let headsShare = 4

    /// Refusals that one address is answered with: at once, and each second. A client with a wrong
    /// key or over its rate stays below; beyond it each refusal waits until there is one more, for
    /// two seconds at most, so that who asks again and again at once spends their own time and not
    /// the server's.
    static let refusals = RateBucket.Rate(perSecond: 50, burst: 100)

    /// Requests of one client that are begun in one iteration of the loop: a millisecond's work. Of
    /// a client with more connections one for each, up to a bound, so that one that asks only once
    /// at a time on each of them hardly waits.
    static let requestsPerIteration = 16
    static let requestsPerIterationMax = 64

    /// The same of all clients together. Beyond it each begins one.
    static let requestsPerIterationMaxOfAll = 128

    /// Share of the connections from which on room counts as scarce, and waits get shorter.
    static let scarceShare = 0.5

    /// What is left of a wait for a head, or between two requests, when there is no room at all.
    static let patienceMin = 0.1

    /// A head that is no older is one of somebody who has just come.
    static let freshHeadMillis: UInt64 = 1_000

    /// How many waits (`writeTimeoutSeconds`) a client can have ahead, for what it took sooner.
    /// When its receive buffer is full, its system takes nothing before a sixteenth of it is free:
    /// of 6 MiB, which are the most on a Linux as it is installed, that is six times 64 KiB.
    static let savedWaitsMax = 6.0

    /// One in so many connections is given up when somebody comes who finds no room: looking for
    /// them takes a look at all, so that it should not be needed for each.
    static let evictedShare = 128
}
