import EventLoop

/// Things that go wrong on purpose.
extension Simulator {
    /// At once, or when its time has come.
    /// - Throws: `unknownPhone`, `tooManyFaults`.
    public func cause(_ fault: Fault) throws(SimulatorError) {
        try change { (world, now) throws(SimulatorError) in
            ((), try world.cause(fault, now: now))
        }
    }

    /// Ends what is in force and forgets what was to come.
    public func clearFaults() {
        change { world, now in ((), world.clearFaults(now: now)) }
    }

    /// Those in force and those to come, then refusals that wait for requests.
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
}
