/// What a server accepts from a client before it says no. Every wait and every buffer has an end,
/// so that no client can hold a connection or memory for nothing.
public struct ServerLimits: Hashable, Sendable {
    /// Request line and header fields together. Browsers with cookies stay below 8 KiB.
    public var headBytesMax: Int
    /// Header fields, as each costs two strings.
    public var headersMax: Int
    /// A request's body, which is held in memory whole.
    public var bodyBytesMax: Int
    /// Bodies of all connections together, as far as they have come, until the answer. Without it
    /// every connection could hold one of the largest at the same time.
    public var heldBodyBytesMax: Int
    /// Of them, those of one client address. An eighth of the whole: room is left for others
    /// whatever one does.
    public var heldBodyBytesPerAddressMax: Int
    /// From a request's first byte to the end of its head. Also for a new connection's first byte.
    public var headTimeoutSeconds: Double
    /// From the end of the head to the end of the body, however the bytes trickle in.
    public var bodyTimeoutSeconds: Double
    /// Between two pieces of a body that is streamed; the whole may take any time.
    public var streamIdleTimeoutSeconds: Double
    /// Between two requests on one connection; proxies keep theirs for about a minute.
    public var idleTimeoutSeconds: Double
    /// For the kernel to take what has been written, when the client reads slowly or not at all.
    public var writeTimeoutSeconds: Double
    /// Each takes a descriptor and about 10 KiB, and may keep 48 KiB of buffers between requests.
    public var connectionsMax: Int
    /// Of them, those of one client address that is no trusted proxy. An eighth of the whole, for
    /// the same reason; an office behind one address stays far below.
    public var connectionsPerAddressMax: Int
    /// Input taken ahead of the request being answered; then reading stops.
    public var pipelinedBytesMax: Int
    /// Of a streamed body, input that its consumer has not taken yet; then reading stops.
    public var streamedBytesMax: Int
    /// Output the client has not taken yet; then the next request or chunk waits.
    public var unsentBytesMax: Int
    /// Over HTTP/2, the rest of a request that is answered early is read and thrown away, within
    /// `writeTimeoutSeconds`, instead of asking the client to stop: there are clients that look
    /// for the answer only when they have sent everything.
    public var readsRefusedBodies = false

    public init(
        headBytesMax: Int = 16 * 1024, headersMax: Int = 100, bodyBytesMax: Int = 1024 * 1024,
        heldBodyBytesMax: Int = 512 * 1024 * 1024,
        heldBodyBytesPerAddressMax: Int = 64 * 1024 * 1024,
        headTimeoutSeconds: Double = 10, bodyTimeoutSeconds: Double = 20,
        streamIdleTimeoutSeconds: Double = 30, idleTimeoutSeconds: Double = 75,
        writeTimeoutSeconds: Double = 20, connectionsMax: Int = 8_192,
        connectionsPerAddressMax: Int = 1_024,
        pipelinedBytesMax: Int = 64 * 1024, streamedBytesMax: Int = 256 * 1024,
        unsentBytesMax: Int = 256 * 1024
    ) {
        self.headBytesMax = headBytesMax
        self.headersMax = headersMax
        self.bodyBytesMax = bodyBytesMax
        self.heldBodyBytesMax = heldBodyBytesMax
        self.heldBodyBytesPerAddressMax = heldBodyBytesPerAddressMax
        self.headTimeoutSeconds = headTimeoutSeconds
        self.bodyTimeoutSeconds = bodyTimeoutSeconds
        self.streamIdleTimeoutSeconds = streamIdleTimeoutSeconds
        self.idleTimeoutSeconds = idleTimeoutSeconds
        self.writeTimeoutSeconds = writeTimeoutSeconds
        self.connectionsMax = connectionsMax
        self.connectionsPerAddressMax = connectionsPerAddressMax
        self.pipelinedBytesMax = pipelinedBytesMax
        self.streamedBytesMax = streamedBytesMax
        self.unsentBytesMax = unsentBytesMax
    }

    public static let standard = ServerLimits()
}

/// Bounds that nobody needs to set.
enum Limits {
    /// Head of an answer that the client takes.
    static let responseHeadBytesMax = 32 * 1024

    /// Body of an answer that the client takes: larger than any page of the API.
    static let responseBodyBytesMax = 64 * 1024 * 1024

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

    /// Refusals that one address is answered with at once in a second. A client with a wrong key or
    /// over its rate stays below; beyond it each refusal takes as long as its delay, so that who
    /// asks again and again at once spends their own time and not the server's.
    static let promptRefusalsPerSecond = 100

    /// Requests of one client on HTTP/2 that are begun in one turn of the loop: a millisecond's
    /// work.
    static let requestsPerTurnMax = 16

    /// How long a refusal beyond them waits.
    static let refusalDelayMillis = 250

    /// Share of the connections from which on room counts as scarce, and waits get shorter.
    static let scarceShare = 0.5

    /// What is left of a wait for a head, or between two requests, when there is no room at all.
    static let patienceMin = 0.1

    /// A head that is no older is one of somebody who has just come.
    static let freshHeadMillis: UInt64 = 1_000

    /// One in so many connections is given up when somebody comes who finds no room: looking for
    /// them takes a look at all, so that it should not be needed for each.
    static let evictedShare = 128

    /// What all of an answer's parts together may be larger than its body: sizes of chunks, heads
    /// and trailers.
    static let responseFramingFactor = 2
}
