import EventLoop

/// Things that go wrong on purpose.
extension Simulator {
    /// At once, or when its time has come.
    /// - Throws: `unknownPhone`, `tooManyFaults`.
    public func cause(_ fault: Fault) throws(SimulatorError) {
        let now = configuration.now()
        let acts = try state.withLock { (state) throws(SimulatorError) in
            state.carryOut(try state.world.cause(fault, now: now))
        }
        perform(acts)
    }

    /// Ends what holds and forgets what was to come.
    public func clearFaults() {
        let now = configuration.now()
        perform(state.withLock { $0.carryOut($0.world.clearFaults(now: now)) })
    }

    /// Those that hold and those to come.
    func faults() -> [FaultView] {
        settle()
        return state.withLock { $0.world.faults.planned.map { FaultView($0) } }
    }

    /// What the simulated Apple does to connections from now on.
    func connect(_ perform: @escaping @Sendable (WireAct) -> Void) {
        wire.withLock { $0 = perform }
    }

    func perform(_ acts: [WireAct]) {
        guard !acts.isEmpty, let perform = wire.withLock(\.self) else { return }
        for act in acts { perform(act) }
    }
}

/// What is done to connections, by whoever has them.
enum WireAct: Sendable {
    /// Of the port for channel management, or of the other, which number theirs by themselves.
    case setStreamLimit(Int, connection: UInt64, isManagement: Bool)
    case disconnect
    case goAway(APNsRefusal, abandons: Bool)
    case setReadRate(Int?)
}

extension Simulator.State {
    /// Inside the lock, so that all observers see one order.
    /// - Parameter isManagement: they come of a request for channel management.
    /// - Returns: what is left to do outside of it.
    func carryOut(_ effects: [World.Effect], isManagement: Bool = false) -> [WireAct] {
        effects.compactMap { effect in
            switch effect {
            case .observed(let event):
                tell([event])
                return nil
            case .setStreamLimit(let limit, let connection):
                return .setStreamLimit(
                    limit, connection: connection, isManagement: isManagement)
            case .disconnect: return .disconnect
            case .goAway(let reason, let abandons): return .goAway(reason, abandons: abandons)
            case .setReadRate(let rate): return .setReadRate(rate)
            }
        }
    }
}
