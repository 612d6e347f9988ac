/// Limits of both ends of HTTP/2 that are not an operator's business.
enum HTTP2Limits {
    /// Room that is made for a body before it has come; a longer one makes its own.
    static let reservedBodyBytesMax = 16_384
    /// Bytes that a connection reads in one iteration of the loop, for which the others wait: a
    /// dozen pushes, or as many dozens of answers.
    static let requestBytesReadMax = 16_384
    static let answerBytesReadMax = 4_096
    /// Bytes that may wait for the peer to read, if it is not a client of a server that says less.
    /// Beyond, nothing more is taken from the session, so that a slow reader costs a bounded amount
    /// of memory.
    static let unsentBytesMax = 256 * 1024
    /// The connection's receive window. The 64 KiB of the protocol would stall a thousand streams.
    static let connectionWindowBytes: Int32 = 1 << 20
    /// What is kept of the debug data in a GOAWAY; APNs sends a short JSON object.
    static let goAwayBodyBytesMax = 1024
    /// How long a peer that does not read can delay the end of a connection.
    static let goodbyeSecondsMax = 5
    /// What one response may have in memory of a streamed body before its producer must wait.
    static let streamedBytesMax = 64 * 1024
    /// Bytes of a response's header fields, with the 32 per field that the protocol counts.
    static let responseHeadBytesMax = 16 * 1024
    /// A body of a response up to this size is not counted: it takes no more than its stream does.
    static let freeResponseBytesMax = 1024
    /// The same for a request's head, with the protocol's 32 per field. Most are shorter.
    /// One that names again what the connection's table has is a few bytes on the wire.
    static let freeHeadBytesMax = 1024
    /// A header block, once decoded, may be so many times as long as a head, or have so many times
    /// its fields, and is still refused by an answer. Beyond it the connection ends: the next block
    /// can be read only if all of this one was decoded.
    static let answeredHeads = 4
    /// CONTINUATION frames of a block; one of 64 KiB has three.
    static let continuationsMax = 8
    /// So much of header blocks, once decoded, is as much work as a request: see `IterationQuota`.
    static let decodedBytesPerTurn = 16 * 1024
    /// What a client takes of a response for its time to begin again: a frame. One that takes a
    /// byte now and then could keep the response for ever.
    static let renewingBytes = 16 * 1024
    /// What may have come of one request's body and waits for its handler: the window of a stream.
    static let streamWindowBytes = 256 * 1024
    /// What a client may go on sending of a body that was refused, within the time for writing.
    static let discardedBytesMax = 4 * 1024 * 1024
    /// Streams that one connection may have open on a server for clients.
    static let streamsMax = 100
    /// Streams that a client may give up before they are answered, open beyond `streamsMax`, or
    /// begin with a head that is too long: at once, and each second. A client that cancels all it
    /// has open stays below, and so does one that has not read yet how many it may open; one that
    /// resets what it has just opened, or goes on in spite of refusals, would otherwise have work
    /// done for nothing, and for free.
    static let resets = RateBucket.Rate(perSecond: 30, burst: 300)
    /// The same for frames that ask for work and carry nothing: PING, SETTINGS, PRIORITY, DATA
    /// without bytes.
    static let idleFrames = RateBucket.Rate(perSecond: 100, burst: 1_000)
    /// The client's clock: deadlines are checked this often.
    static let tickMillis = 50
}
