public import Domain
import EventLoop

/// What a tester does with phones.
extension Simulator {
    /// A new phone with the app on it, which has not started anything.
    public func addPhone(
        named name: String, with traits: PhoneTraits = PhoneTraits()
    ) throws(SimulatorError) -> PhoneID {
        try state.withLock { (state) throws(SimulatorError) in
            try state.world.addPhone(named: name, with: traits)
        }
    }

    /// A new phone whose app starts one activity.
    public func addPhone(
        named name: String, with traits: PhoneTraits = PhoneTraits(),
        starting start: ActivityStart
    ) throws(SimulatorError) -> (id: PhoneID, token: PushToken) {
        let now = configuration.now()
        return try state.withLock { (state) throws(SimulatorError) in
            let added = try state.world.addPhone(
                named: name, with: traits, starting: start, now: now)
            state.tell([added.event])
            return (added.id, added.token)
        }
    }

    /// The app on a known phone starts a further activity.
    public func start(
        _ start: ActivityStart, on id: PhoneID
    ) throws(SimulatorError) -> PushToken {
        let now = configuration.now()
        return try state.withLock { (state) throws(SimulatorError) in
            let (token, event) = try state.world.start(start, on: id, now: now)
            state.tell([event])
            return token
        }
    }

    /// A new phone whose app starts one activity that listens to a channel. Nothing is registered
    /// with a server: no token exists.
    public func addPhone(
        named name: String, with traits: PhoneTraits = PhoneTraits(),
        starting start: ActivityStart, channel: String
    ) throws(SimulatorError) -> PhoneID {
        let now = configuration.now()
        return try state.withLock { (state) throws(SimulatorError) in
            let added = try state.world.addPhone(
                named: name, with: traits, starting: start, channel: channel, now: now)
            state.tell([added.event])
            return added.id
        }
    }

    /// The app on a known phone starts a further activity that listens to a channel.
    public func start(
        _ start: ActivityStart, on id: PhoneID, channel: String
    ) throws(SimulatorError) {
        let now = configuration.now()
        try state.withLock { (state) throws(SimulatorError) in
            state.tell([
                try state.world.start(start, on: id, channel: channel, now: now)
            ])
        }
    }

    /// The push-to-start token of a kind, as the app gets it from the system: the same each time
    /// until it rotates.
    public func startToken(
        for kind: String, on id: PhoneID
    ) throws(SimulatorError) -> PushToken {
        try state.withLock { (state) throws(SimulatorError) in
            try state.world.startToken(for: kind, on: id)
        }
    }

    /// The update token of a running card, as its app has it: of one that a push started, too.
    public func updateToken(
        of activity: ActivityID, on id: PhoneID
    ) throws(SimulatorError) -> PushToken {
        try state.withLock { (state) throws(SimulatorError) in
            try state.world.updateToken(of: activity, on: id)
        }
    }

    /// The system gives the app another push-to-start token, which only the app gets to know. The
    /// old one goes on answering 200, and leads nowhere.
    public func rotateStartToken(
        for kind: String, on id: PhoneID
    ) throws(SimulatorError) -> (from: PushToken, to: PushToken) {
        try state.withLock { (state) throws(SimulatorError) in
            try state.world.rotateStartToken(for: kind, on: id)
        }
    }

    /// All tokens of a phone die, push-to-start tokens included, as when its app is removed.
    public func killTokens(of id: PhoneID, _ death: TokenDeath) throws(SimulatorError) {
        let now = configuration.now()
        try state.withLock { (state) throws(SimulatorError) in
            try state.world.killTokens(of: id, death, now: now)
        }
    }

    /// The person swipes one card away, or all of the phone.
    /// - Parameter activity: nil for all.
    public func dismiss(_ activity: ActivityID?, on id: PhoneID) throws(SimulatorError) {
        let now = configuration.now()
        try state.withLock { (state) throws(SimulatorError) in
            state.tell(try state.world.dismiss(activity, on: id, now: now))
        }
    }

    /// The person switches frequent updates on or off, which ends the app's running activities.
    public func setFrequentUpdates(
        _ areAllowed: Bool, on id: PhoneID
    ) throws(SimulatorError) {
        let now = configuration.now()
        try state.withLock { (state) throws(SimulatorError) in
            state.tell(try state.world.setFrequentUpdates(areAllowed, on: id, now: now))
        }
    }

    /// The system gives a card another push token, which only its app gets to know.
    public func rotate(
        _ activity: ActivityID, on id: PhoneID
    ) throws(SimulatorError) -> (from: PushToken, to: PushToken) {
        let now = configuration.now()
        return try state.withLock { (state) throws(SimulatorError) in
            let (from, to, event) = try state.world.rotate(activity, on: id, now: now)
            state.tell([event])
            return (from, to)
        }
    }
}
