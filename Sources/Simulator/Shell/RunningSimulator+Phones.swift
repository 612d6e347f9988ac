public import Domain

/// The phones of a running simulator, for a program that has it in its own process.
extension RunningSimulator {
    /// Every change on every phone from now on. An observer that does not keep up loses the oldest.
    public func events() -> AsyncStream<PhoneEvent> { simulator.events() }

    /// A new phone with the app on it, which has not started anything.
    public func addPhone(
        named name: String, with traits: PhoneTraits = PhoneTraits()
    ) throws(SimulatorError) -> PhoneID {
        try simulator.addPhone(named: name, with: traits)
    }

    /// A new phone whose app starts one activity.
    public func addPhone(
        named name: String, with traits: PhoneTraits = PhoneTraits(),
        starting start: ActivityStart
    ) throws(SimulatorError) -> (id: PhoneID, token: PushToken) {
        try simulator.addPhone(named: name, with: traits, starting: start)
    }

    /// The app on a known phone starts a further activity.
    public func start(
        _ start: ActivityStart, on id: PhoneID
    ) throws(SimulatorError) -> PushToken {
        try simulator.start(start, on: id)
    }

    /// A new phone whose app starts one activity that listens to a channel. Nothing is registered
    /// with a server: no token exists.
    public func addPhone(
        named name: String, with traits: PhoneTraits = PhoneTraits(),
        starting start: ActivityStart, channel: String
    ) throws(SimulatorError) -> PhoneID {
        try simulator.addPhone(named: name, with: traits, starting: start, channel: channel)
    }

    /// The app on a known phone starts a further activity that listens to a channel.
    public func start(
        _ start: ActivityStart, on id: PhoneID, channel: String
    ) throws(SimulatorError) {
        try simulator.start(start, on: id, channel: channel)
    }

    /// The push-to-start token of a kind, as the app gets it from the system: the same each time
    /// until it rotates.
    public func startToken(
        for kind: String, on id: PhoneID
    ) throws(SimulatorError) -> PushToken {
        try simulator.startToken(for: kind, on: id)
    }

    /// The system gives the app another push-to-start token, which only the app gets to know.
    public func rotateStartToken(
        for kind: String, on id: PhoneID
    ) throws(SimulatorError) -> (from: PushToken, to: PushToken) {
        try simulator.rotateStartToken(for: kind, on: id)
    }

    /// The person swipes one card away.
    public func dismiss(_ activity: ActivityID, on id: PhoneID) throws(SimulatorError) {
        try simulator.dismiss(activity, on: id)
    }

    /// The system gives a card another push token, which only its app gets to know.
    public func rotate(
        _ activity: ActivityID, on id: PhoneID
    ) throws(SimulatorError) -> (from: PushToken, to: PushToken) {
        try simulator.rotate(activity, on: id)
    }

    public func phones() -> [PhoneView] { simulator.phones() }

    public func phone(_ id: PhoneID) -> PhoneView? { simulator.phone(id) }

    /// Oldest first; empty for an unknown phone.
    public func log(of id: PhoneID) -> [PhoneLogEntry] { simulator.phone(id)?.log ?? [] }
}
