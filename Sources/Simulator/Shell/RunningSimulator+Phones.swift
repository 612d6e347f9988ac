public import Domain

/// The phones of a running simulator, for a program that has it in its own process.
extension RunningSimulator {
    /// Every change on every phone from now on. An observer that does not keep up loses the oldest.
    public func events() -> AsyncStream<PhoneEvent> { simulator.events() }

    /// A new phone whose app starts one activity.
    public func addPhone(
        named name: String, environment: APNsEnvironment? = nil, starting start: ActivityStart
    ) throws(SimulatorError) -> (id: PhoneID, token: PushToken) {
        try simulator.addPhone(named: name, environment: environment, starting: start)
    }

    /// The app on a known phone starts a further activity.
    public func start(
        _ start: ActivityStart, on id: PhoneID
    ) throws(SimulatorError) -> PushToken {
        try simulator.start(start, on: id)
    }

    public func phones() -> [PhoneView] { simulator.phones() }

    public func phone(_ id: PhoneID) -> PhoneView? { simulator.phone(id) }

    /// Oldest first; empty for an unknown phone.
    public func log(of id: PhoneID) -> [PhoneLogEntry] { simulator.phone(id)?.log ?? [] }
}
