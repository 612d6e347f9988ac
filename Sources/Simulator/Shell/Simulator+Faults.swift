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

    /// Those that hold and those to come, then refusals that wait for requests.
    func faults() -> [FaultView] {
        settle()
        return state.withLock { state in
            state.world.faults.planned.map { FaultView($0) }
                + state.world.apns.script.map {
                    FaultView(refusing: $0.left, $0.service, $0.reason)
                }
        }
    }

    /// What the simulated Apple does to connections from now on.
    func connect(_ perform: @escaping @Sendable (World.Effect, _ isManagement: Bool) -> Void) {
        wire.withLock { $0 = perform }
    }

    /// - Parameter isManagement: they come of a request for channel management, whose port numbers
    ///   its connections by itself.
    func perform(_ acts: [World.Effect], isManagement: Bool = false) {
        guard !acts.isEmpty, let perform = wire.withLock(\.self) else { return }
        for act in acts { perform(act, isManagement) }
    }
}

extension Simulator.State {
    /// Inside the lock, so that all observers see one order.
    /// - Returns: what is left to do outside of it, to connections.
    func carryOut(_ effects: [World.Effect]) -> [World.Effect] {
        effects.filter { effect in
            guard case .observed(let event) = effect else { return true }
            tell([event])
            return false
        }
    }
}
