public import Domain
import EventLoop
public import HTTP

/// The simulated Apple and its phones, shared by all that ask: sockets, the control API, a demo.
///
/// Everything happens inside one `World` behind a lock, in the order the requests come in.
public final class Simulator: Sendable {
    struct State: Sendable {
        var world: World
        var observers: [UInt64: AsyncStream<PhoneEvent>.Continuation] = [:]
        var observersEver: UInt64 = 0

        /// Inside the lock, so that all observers see one order.
        /// - Returns: what is left to do outside of it, to connections.
        func carryOut(_ effects: [World.Effect]) -> [World.Effect] {
            effects.filter { effect in
                guard case .observed(let event) = effect else { return true }
                for observer in observers.values { observer.yield(event) }
                return false
            }
        }
    }

    public let configuration: SimulatorConfiguration
    let state: Lock<State>
    /// How to get at the connections; nil before there are any.
    let wire = Lock<(@Sendable (World.Effect, _ isManagement: Bool) -> Void)?>(nil)

    /// - Parameters:
    ///   - seed: of tokens and identifiers.
    ///   - isSigned: checks the team's signatures.
    public init(
        _ configuration: SimulatorConfiguration, seed: UInt64, isSigned: @escaping SignatureCheck
    ) {
        self.configuration = configuration
        let apns = APNsMachine.Configuration(
            environment: configuration.environment, bundleIDs: [configuration.bundleID],
            keys: [ProviderKey(keyID: configuration.keyID, teamID: configuration.teamID)]
                + configuration.furtherKeys.map {
                    ProviderKey(keyID: $0.keyID, teamID: $0.teamID, bundleIDs: $0.bundleIDs)
                },
            broadcast: configuration.broadcast, refused: configuration.refused,
            isSigned: isSigned)
        state = Lock(
            State(
                world: World(
                    apns: apns, kinds: configuration.kinds, rules: configuration.rules,
                    seed: seed)))
    }

    /// Every change on every phone from now on. An observer that does not keep up loses the oldest.
    public func events() -> AsyncStream<PhoneEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: PhoneEvent.self, bufferingPolicy: .bufferingNewest(Limits.observerBacklogMax))
        let number = state.withLock { state in
            state.observersEver += 1
            state.observers[state.observersEver] = continuation
            return state.observersEver
        }
        continuation.onTermination = { [state] _ in
            state.withLock { $0.observers[number] = nil }
        }
        return stream
    }

    /// A token that APNs accepts and no phone looks at: for measuring senders.
    /// - Parameter bundleID: of a further app; nil for that of the phones.
    public func addSilentToken(of bundleID: String? = nil) -> PushToken {
        state.withLock { $0.world.addSilentToken(of: bundleID) }
    }

    public func phones() -> [PhoneView] {
        settled { world in
            world.phones.map { PhoneView($0, isAway: world.isAway($0.id), withLog: false) }
        }
    }

    public func phone(_ id: PhoneID) -> PhoneView? {
        settled { world in
            world.phone(id).map { PhoneView($0, isAway: world.isAway(id), withLog: true) }
        }
    }

    /// Oldest first; empty for an unknown phone.
    public func log(of id: PhoneID) -> [PhoneLogEntry] { phone(id)?.log ?? [] }

    /// How often each answer was given.
    public func tally(of service: APNsService = .pushes) -> APNsMachine.Tally {
        state.withLock { $0.world.apns.tally(of: service) }
    }

    /// Brings about what time alone brings about, such as a card gone stale.
    public func settle() {
        settled { _ in }
    }

    /// What becomes of a request, by lot.
    func fate(of request: Request, isManagement: Bool) -> RequestFate {
        change { world, now in
            let effects = world.settleFaults(at: now)
            return (world.faults.fate(of: Self.service(request, isManagement)), effects)
        }
    }

    /// Answers one request.
    /// - Parameters:
    ///   - isManagement: it comes to the port for channel management, and not to that for pushes
    ///     and broadcasts.
    ///   - refusal: instead of an acceptance.
    public func answer(
        _ request: Request, isManagement: Bool = false, refusedFor refusal: APNsRefusal? = nil
    ) -> Response {
        change(isManagement: isManagement) { world, now in
            let (answer, effects) =
                switch Self.service(request, isManagement) {
                case .pushes: world.receive(request, refusedFor: refusal, now: now)
                case .broadcasts: world.broadcast(request, refusedFor: refusal, now: now)
                case .channels: world.manage(request, refusedFor: refusal, now: now)
                }
            return (answer.response, effects)
        }
    }

    private static func service(_ request: Request, _ isManagement: Bool) -> APNsService {
        isManagement ? .channels : request.path.hasPrefix("/4/") ? .broadcasts : .pushes
    }

    /// - Parameters:
    ///   - isManagement: it is a request for channel management, whose port numbers its connections
    ///     by itself.
    ///   - body: gives its result, and what it brings about for observers and connections.
    @discardableResult
    func change<Result: Sendable, Failure: Error>(
        isManagement: Bool = false,
        _ body: (inout World, Moment) throws(Failure) -> (Result, [World.Effect])
    ) throws(Failure) -> Result {
        let now = configuration.now()
        let (result, acts, oddities) = try state.withLock { (state) throws(Failure) in
            let (result, effects) = try body(&state.world, now)
            return (result, state.carryOut(effects), state.world.apns.oddities.takeUnread())
        }
        if !acts.isEmpty, let perform = wire.withLock(\.self) {
            for act in acts { perform(act, isManagement) }
        }
        for oddity in oddities { configuration.heed(oddity, oddity.sentence) }
        return result
    }

    /// A connection has agreed on no protocol.
    func noteMissingALPN() {
        change { world, _ in
            world.apns.oddities.note(.noALPN)
            return ((), [])
        }
    }

    /// How often each oddity was taken, by its name.
    public func oddities() -> [String: Int] {
        let counts = state.withLock { $0.world.apns.oddities.counts }
        return Dictionary(uniqueKeysWithValues: counts.map { ($0.key.rawValue, $0.value) })
    }

    /// Ends the streams of all observers and lets go of the connections.
    func finish() {
        wire.withLock { $0 = nil }
        let observers = state.withLock { state in
            defer { state.observers = [:] }
            return Array(state.observers.values)
        }
        // Outside the lock, because finishing calls back to it.
        for observer in observers { observer.finish() }
    }

    @discardableResult
    private func settled<R: Sendable>(_ read: (World) -> R) -> R {
        change { world, now in
            let effects = world.settleFaults(at: now)
            let events = world.settle(at: now)
            return (read(world), effects + events.map { World.Effect.observed($0) })
        }
    }
}
