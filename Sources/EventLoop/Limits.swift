enum Limits {
    /// How long an iteration looks for new work before it lets the kernel be asked for events
    /// again: enough for a chain of awaits to finish in one iteration, little enough that tasks
    /// which have much to do, or yield for ever, do not keep the sockets waiting.
    static let drainNanoseconds: UInt64 = 1_000_000

    /// One buffer per loop, lent to every socket while it reads. No socket reads more in one
    /// iteration, so that a peer that sends a lot does not keep the others waiting.
    static let readBufferBytes = 64 * 1024

    /// An output buffer up to this size is kept for the next response instead of being freed:
    /// nearly every answer fits, and eight thousand idle connections keep 128 MB at most.
    static let keptOutputBytesMax = 16 * 1024

    /// Connections the kernel may keep for us before they are accepted.
    static let listenBacklog: Int32 = 1024

    /// Connections accepted in one iteration of the loop, so that a flood of them does not keep
    /// those that are there waiting.
    static let acceptsPerIterationMax = 64

    /// How soon accepting is tried again when there was no descriptor for it: clients that wait
    /// hardly notice it, and it is next to no work.
    static let acceptRetryMillis = 50

    /// How long nobody must have been kept waiting before a shortage is said to be over: one that
    /// comes and goes is reported once.
    static let calmMillis = 1_000

    /// How long a closing socket waits for the peer's FIN. Closing with unread input makes the
    /// kernel send a reset, which can destroy an answer that the peer has not read yet.
    static let lingerMillis = 2_000

    /// What a closing socket reads and throws away before it gives up on a peer that keeps sending.
    static let lingerBytesMax = 4 * 1024 * 1024

    /// Between two reads of what is thrown away: a megabyte takes 160 ms, and a thousand peers that
    /// send without end take little of the loop.
    static let lingerRestMillis = 10

    /// Linux refuses longer thread names.
    static let threadNameBytesMax = 15

    /// Names looked up at a time. Each has a thread, of which only some pages are touched, until
    /// the C library has given the name up: about half a minute when its servers are silent.
    static let resolverThreadsMax = 32

    /// Names of one share, and of all, that wait for a thread. More of them are refused at once,
    /// since the callers would give up before their names had a thread.
    static let lookupsWaitingPerShareMax = 64
    static let lookupsWaitingMax = 1_024

    /// The caller has given up before a thread gets to a name this old.
    static let lookupWaitNanosecondsMax: UInt64 = 30_000_000_000

    /// Callers that share one lookup.
    static let lookupWaitersMax = 1_024

    /// A lookup older than this is not joined: the name servers may answer again by now, and it
    /// may hang for another half minute.
    static let sharedLookupNanosecondsMax: UInt64 = 10_000_000_000

    /// More of a name's addresses than this are not tried.
    static let addressesPerNameMax = 16

    /// Names whose addresses are kept for the next request.
    static let namesKeptMax = 1_024
}
