public import Domain
public import HTTP

/// Apple and all the phones as one value: what a seeded simulation steps through.
///
/// Requests and time go in, answers and events come out; sockets and clocks are someone else's.
public struct World: Sendable {
    /// What the shell has to carry out after a request.
    public enum Effect: Sendable {
        case setStreamLimit(Int, connection: UInt64)
        case observed(PhoneEvent)
        /// Every connection closes without a word.
        case disconnect
        /// Every connection gets a GOAWAY.
        case goAway(APNsRefusal, abandons: Bool)
        /// Bytes a second that are read from each connection; nil for as many as come.
        case setReadRate(Int?)
    }

    /// Where a push token leads: to a card on the phone with this index, or to a start.
    struct Destination: Sendable {
        var phone: Int
        /// What a push starts there; nil for a card's token.
        var starts: CardKind?
    }

    public internal(set) var apns: APNsMachine
    /// In the order they were added.
    public internal(set) var phones: [PhoneMachine] = []
    let kinds: [String: CardKind]
    let rules: PhoneRules
    var indexByID: [PhoneID: Int] = [:]
    var destinations: [PushToken: Destination] = [:]
    /// Phones by the channel that a card of theirs listens to.
    var listeners: [String: Set<Int>] = [:]
    /// Phones that nothing reaches, and what APNs keeps for them.
    var away: Set<Int> = []
    /// By number of a fault in force, the phones that it has taken away.
    var takenAway: [Int: Set<Int>] = [:]
    var waiting: [Int: WaitingPush] = [:]
    /// By channel.
    var storedBroadcasts: [Int: [String: StoredBroadcast]] = [:]
    var faults: FaultMachine
    var apnsClockSeconds = 0.0
    var phoneClockSeconds = 0.0
    var random: SeededGenerator

    public init(
        apns: APNsMachine.Configuration, kinds: [CardKind], rules: PhoneRules = PhoneRules(),
        seed: UInt64
    ) {
        var random = SeededGenerator(seed: seed)
        self.apns = APNsMachine(apns, seed: random.next())
        self.kinds = Dictionary(kinds.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        self.rules = rules
        faults = FaultMachine(seed: random.next())
        self.random = random
    }

    public func phone(_ id: PhoneID) -> PhoneMachine? {
        indexByID[id].map { phones[$0] }
    }

    /// Answers one push to a device token and hands an accepted one to its phone at once.
    /// - Parameter refusal: instead of an acceptance.
    public mutating func receive(
        _ request: Request, refusedFor refusal: APNsRefusal? = nil, now: Moment
    ) -> (answer: APNsAnswer, effects: [Effect]) {
        apns.lot = refusal
        let result = apns.receive(request, now: apnsTime(now))
        var effects = streams(result.opensStreams, request)
        if let push = result.accepted, !keep(push, now: now) {
            effects += deliver(push, now: now).map { .observed($0) }
        }
        return (result.answer, effects)
    }

    /// Brings about what time alone brings about on phones.
    public mutating func settle(at now: Moment) -> [PhoneEvent] {
        let time = phoneTime(now)
        var events: [PhoneEvent] = []
        for index in phones.indices where phones[index].nextDue.map({ $0 <= time }) == true {
            events += noted(phones[index].settle(at: time), on: index)
        }
        return events
    }

    /// What Apple takes for now.
    func apnsTime(_ now: Moment) -> Moment {
        apnsClockSeconds == 0 ? now : now.adding(seconds: apnsClockSeconds)
    }

    /// A token that APNs accepts and no phone looks at: for measuring senders.
    /// - Parameter bundleID: of a further app; nil for that of the phones.
    public mutating func addSilentToken(of bundleID: String? = nil) -> PushToken {
        let token = random.updateToken()
        apns.directory.register(
            token, of: bundleID ?? self.bundleID, in: apns.configuration.environment)
        return token
    }

    /// Of the app on the phones.
    var bundleID: String { apns.configuration.bundleIDs.min() ?? "" }

    /// Of the app on a phone.
    mutating func register(_ token: PushToken, on phone: Int) {
        apns.directory.register(token, of: bundleID, in: phones[phone].environment)
    }

    mutating func deliver(_ push: AcceptedPush, now: Moment) -> [PhoneEvent] {
        guard let destination = destinations[push.token] else { return [] }
        let (index, time) = (destination.phone, phoneTime(now))
        if let kind = destination.starts {
            return deliverStart(push, of: kind, to: index, now: time)
        }
        return noted(
            phones[index].receive(
                push.body, token: push.token, priority: push.priority, now: time), on: index)
    }

    private mutating func deliverStart(
        _ push: AcceptedPush, of kind: CardKind, to index: Int, now: Moment
    ) -> [PhoneEvent] {
        let start = StartPush(
            body: push.body, kind: kind, activity: ActivityID(rawValue: random.uuid()),
            token: random.updateToken())
        let before = phones[index].cards.count
        let (channels, bundleID) = (apns.channels, bundleID)
        let environment = phones[index].environment
        let events = phones[index].receive(
            start,
            hasChannel: { channels.channel($0, of: bundleID, in: environment) != nil }, now: now)
        for card in phones[index].cards.dropFirst(before) { connect(card, on: index) }
        return noted(events, on: index)
    }

    /// From now on pushes for the card find it.
    mutating func connect(_ card: Card, on index: Int) {
        switch card.address {
        case .token(let token):
            register(token, on: index)
            destinations[token] = Destination(phone: index)
        case .channel(let channel):
            listeners[channel, default: []].insert(index)
        }
    }

    /// The token of a card that is over goes on working for a while, then answers 410.
    mutating func noted(_ events: [PhoneEvent], on index: Int) -> [PhoneEvent] {
        guard events.contains(where: { $0.phase?.isOver == true }) else { return events }
        for card in phones[index].cards where card.phase.isOver {
            guard let over = card.endedAt ?? card.dismissAt, let token = card.token,
                !apns.directory.isDying(token)
            else { continue }
            // The phone has noted its own time, and Apple goes by Apple's.
            let ahead = apnsClockSeconds - phoneClockSeconds
            let dead = over.adding(seconds: ahead + Limits.endedTokenGraceSeconds)
            apns.directory.kill(token, .expired, at: dead)
        }
        return events
    }
}
