import CUV
import Glibc

/// Looks names up on threads of its own: `getaddrinfo` blocks for as long as it likes and cannot be
/// called off, so nobody waits for its thread, and a name that hangs delays only those who want
/// it.
///
/// A caller has a deadline of its own and forgets the answer once it is over. The thread goes on
/// until the C library gives up (half a minute or so), counts as one of the few until then, and is
/// never joined.
public final class NameResolver: Sendable {
    /// Addresses in digits, in the order in which they are to be tried.
    public typealias Answer = Result<[String], NetworkError>
    /// Blocks until there is an answer.
    public typealias Lookup = @Sendable (_ name: String) -> Answer

    fileprivate struct Job {
        var name: String
        var share: String
        var askedAt: UInt64
        var waiters: [@Sendable (Answer) -> Void]
    }

    fileprivate struct State {
        var shares: FairShares<String>
        var jobs: [UInt64: Job] = [:]
        /// Of each name the job that others may join.
        var newest: [String: UInt64] = [:]
        /// Jobs without a thread, in the order in which they came.
        var line: [UInt64] = []
        var known: [String: (addresses: [String], until: UInt64)] = [:]
        var nextJob: UInt64 = 0

        mutating func keep(_ addresses: [String], of name: String, for nanoseconds: UInt64) {
            let now = uv_hrtime()
            if known.count >= Limits.namesKeptMax { known = known.filter { $0.value.until > now } }
            if known.count >= Limits.namesKeptMax { known = [:] }
            known[name] = (addresses, now + nanoseconds)
        }
    }

    private let state: Lock<State>
    private let keepNanoseconds: UInt64
    private let lookup: Lookup

    /// - Parameters:
    ///   - threadsMax: how many names are looked up at a time; no share has more than half of them.
    ///   - keepSeconds: how long an answer is used again.
    ///   - lookup: the system's, unless a test has another.
    public init(
        threadsMax: Int? = nil, keepSeconds: Double = 0,
        lookup: @escaping Lookup = NameResolver.systemLookup
    ) {
        let placesMax = threadsMax ?? Limits.resolverThreadsMax
        state = Lock(State(shares: FairShares(capacity: placesMax)))
        keepNanoseconds = UInt64(keepSeconds * 1e9)
        self.lookup = lookup
    }

    /// For connections to hosts that the operator names. Webhooks have another one, so that their
    /// names cannot take its threads.
    static let ofConnections = NameResolver()

    /// Asks for a name's addresses. Callers that ask for a name while it is being looked up share
    /// the answer.
    /// - Parameters:
    ///   - share: on whose account it is, such as a tenant's.
    ///   - done: is called once, on any thread, at once where the answer is known.
    public func resolve(
        _ name: String, for share: String, _ done: @escaping @Sendable (Answer) -> Void
    ) {
        let now = uv_hrtime()
        let known: Answer? = state.withLock { (state) -> Answer? in
            if let known = state.known[name], known.until > now { return .success(known.addresses) }
            if let id = state.newest[name], let job = state.jobs[id],
                now < job.askedAt + Limits.sharedLookupNanosecondsMax
            {
                guard job.waiters.count < Limits.lookupWaitersMax else {
                    return .failure(.resolverBusy)
                }
                state.jobs[id]?.waiters.append(done)
                return nil
            }
            let ofShare = state.line.count { state.jobs[$0]?.share == share }
            guard ofShare < Limits.lookupsWaitingPerShareMax,
                state.line.count < Limits.lookupsWaitingMax
            else { return .failure(.resolverBusy) }
            state.nextJob += 1
            state.jobs[state.nextJob] = Job(
                name: name, share: share, askedAt: now, waiters: [done])
            state.newest[name] = state.nextJob
            state.line.append(state.nextJob)
            return nil
        }
        if let known { done(known) } else { startThreads() }
    }

    private func startThreads() {
        while let id = takeNext() {
            let code = OwnThread.start("names") { self.run(from: id) }
            if code != 0 { finish(id, .failure(.resolverBusy)) }
        }
    }

    /// One job after the other, until there is none that this thread may take.
    private func run(from first: UInt64) {
        var next: UInt64? = first
        while let id = next {
            let (name, askedAt) = state.withLock { ($0.jobs[id]?.name ?? "", $0.jobs[id]?.askedAt) }
            let isStale = uv_hrtime() - (askedAt ?? 0) > Limits.lookupWaitNanosecondsMax
            finish(id, isStale ? .failure(.timedOut) : lookup(name))
            next = takeNext()
        }
    }

    /// - Returns: the first job in line whose share has room; its place is taken.
    private func takeNext() -> UInt64? {
        state.withLock { state in
            let index = state.line.firstIndex { id in
                state.shares.admit(1, of: state.jobs[id]?.share ?? "")
            }
            guard let index else { return nil }
            let id = state.line.remove(at: index)
            state.shares.take(1, of: state.jobs[id]?.share ?? "")
            return id
        }
    }

    private func finish(_ id: UInt64, _ answer: Answer) {
        let job: Job? = state.withLock { (state) -> Job? in
            guard let job = state.jobs.removeValue(forKey: id) else { return nil }
            state.shares.giveBack(1, of: job.share)
            if state.newest[job.name] == id { state.newest[job.name] = nil }
            if case .success(let addresses) = answer, keepNanoseconds > 0 {
                state.keep(addresses, of: job.name, for: keepNanoseconds)
            }
            return job
        }
        for done in job?.waiters ?? [] { done(answer) }
    }

    /// `getaddrinfo`.
    public static let systemLookup: Lookup = { name in
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(name, nil, &hints, &list)
        defer { if let list { freeaddrinfo(list) } }
        switch code {
        case 0:
            let addresses = SocketAddress.all(in: list).prefix(Limits.addressesPerNameMax)
            return .success(addresses.map(\.host))
        case EAI_MEMORY, EAI_SYSTEM: return .failure(.resolverBusy)
        default: return .failure(.hostUnknown)
        }
    }
}
