public import Domain
import EventLoop

/// What a tester does with phones.
extension Simulator {
    /// What the phones take for now.
    func phoneTime() -> Moment {
        let now = configuration.now()
        return state.withLock { $0.world.phoneTime(now) }
    }

    /// A new phone with the app on it, which has not started anything.
    public func addPhone(
        named name: String, with traits: PhoneTraits = PhoneTraits()
    ) throws(SimulatorError) -> PhoneID {
        try change { (world, _) throws(SimulatorError) in
            (try world.addPhone(named: name, with: traits), [])
        }
    }

    /// A new phone whose app starts one activity.
    /// - Parameter channel: that the card listens to; nil for a card with a push token.
    public func addPhone(
        named name: String, with traits: PhoneTraits = PhoneTraits(),
        starting start: ActivityStart, channel: String? = nil
    ) throws(SimulatorError) -> (id: PhoneID, token: PushToken?) {
        try change { (world, now) throws(SimulatorError) in
            let added = try world.addPhone(
                named: name, with: traits, starting: start, channel: channel, now: now)
            return ((added.id, added.token), [.observed(added.event)])
        }
    }

    /// The app on a known phone starts a further activity.
    /// - Parameter channel: that the card listens to; nil for a card with a push token.
    public func start(
        _ start: ActivityStart, on id: PhoneID, channel: String? = nil
    ) throws(SimulatorError) -> PushToken? {
        try change { (world, now) throws(SimulatorError) in
            let (token, event) = try world.start(start, on: id, channel: channel, now: now)
            return (token, [.observed(event)])
        }
    }

    /// The push-to-start token of a kind, as the app gets it from the system: the same each time
    /// until it rotates.
    public func startToken(
        for kind: String, on id: PhoneID
    ) throws(SimulatorError) -> PushToken {
        try change { (world, _) throws(SimulatorError) in
            (try world.startToken(for: kind, on: id), [])
        }
    }

    /// The update token of a running card, as its app has it: of one that a push started, too.
    public func updateToken(
        of activity: ActivityID, on id: PhoneID
    ) throws(SimulatorError) -> PushToken {
        try change { (world, _) throws(SimulatorError) in
            (try world.updateToken(of: activity, on: id), [])
        }
    }

    /// The system gives the app another push-to-start token, which only the app gets to know. The
    /// old one goes on answering 200, and leads nowhere.
    public func rotateStartToken(
        for kind: String, on id: PhoneID
    ) throws(SimulatorError) -> (from: PushToken, to: PushToken) {
        try change { (world, _) throws(SimulatorError) in
            (try world.rotateStartToken(for: kind, on: id), [])
        }
    }

    /// The person swipes one card away, or all of the phone.
    /// - Parameter activity: nil for all.
    public func dismiss(_ activity: ActivityID?, on id: PhoneID) throws(SimulatorError) {
        try change { (world, now) throws(SimulatorError) in
            ((), try world.dismiss(activity, on: id, now: now).map { .observed($0) })
        }
    }

    /// The person switches frequent updates on or off, which ends the app's running activities.
    public func setFrequentUpdates(
        _ areAllowed: Bool, on id: PhoneID
    ) throws(SimulatorError) {
        try change { (world, now) throws(SimulatorError) in
            let events = try world.setFrequentUpdates(areAllowed, on: id, now: now)
            return ((), events.map { .observed($0) })
        }
    }

    /// The system gives a card another push token, which only its app gets to know.
    public func rotate(
        _ activity: ActivityID, on id: PhoneID
    ) throws(SimulatorError) -> (from: PushToken, to: PushToken) {
        try change { (world, now) throws(SimulatorError) in
            let (from, to, event) = try world.rotate(activity, on: id, now: now)
            return ((from, to), [.observed(event)])
        }
    }
}
