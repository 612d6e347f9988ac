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
    }

    public private(set) var apns: APNsMachine
    /// In the order they were added.
    public private(set) var phones: [PhoneMachine] = []
    private let kinds: [String: CardKind]
    private var indexByID: [PhoneID: Int] = [:]
    private var indexByToken: [PushToken: Int] = [:]
    private var random: SeededGenerator

    public init(apns: APNsMachine.Configuration, kinds: [CardKind], seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        self.apns = APNsMachine(apns, seed: random.next())
        self.kinds = Dictionary(kinds.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        self.random = random
    }

    public func phone(_ id: PhoneID) -> PhoneMachine? {
        indexByID[id].map { phones[$0] }
    }

    /// Answers one request and hands an accepted push to its phone at once.
    public mutating func receive(
        _ request: Request, now: Moment
    ) -> (answer: APNsAnswer, effects: [Effect]) {
        let (answer, wanted) = apns.receive(request, now: now)
        var effects: [Effect] = []
        for effect in wanted {
            switch effect {
            case .setStreamLimit(let limit, let connection):
                effects.append(.setStreamLimit(limit, connection: connection))
            case .deliver(let push):
                effects += deliver(push, now: now).map { .observed($0) }
            }
        }
        return (answer, effects)
    }

    public mutating func connectionClosed(_ connection: UInt64) {
        apns.connectionClosed(connection)
    }

    /// Brings about what time alone brings about.
    public mutating func settle(at now: Moment) -> [PhoneEvent] {
        var events: [PhoneEvent] = []
        for index in phones.indices where phones[index].nextDue.map({ $0 <= now }) == true {
            events += noted(phones[index].settle(at: now), on: index)
        }
        return events
    }

    /// A new phone whose app starts one activity.
    /// - Parameter environment: of the app build; nil for the one that this APNs serves.
    public mutating func addPhone(
        named name: String, environment: APNsEnvironment? = nil, starting start: ActivityStart,
        now: Moment
    ) throws(SimulatorError) -> (id: PhoneID, token: PushToken, event: PhoneEvent) {
        guard phones.count < Limits.phonesMax else { throw .tooManyPhones }
        let id = PhoneID(rawValue: "phone-\(phones.count + 1)")
        var phone = PhoneMachine(
            id: id, name: name, environment: environment ?? apns.configuration.environment)
        let (token, event) = try open(start, on: &phone, now: now)
        indexByID[id] = phones.count
        indexByToken[token] = phones.count
        phones.append(phone)
        return (id, token, event)
    }

    /// The app on a known phone starts a further activity.
    public mutating func start(
        _ start: ActivityStart, on id: PhoneID, now: Moment
    ) throws(SimulatorError) -> (token: PushToken, event: PhoneEvent) {
        guard let index = indexByID[id] else { throw .unknownPhone }
        var phone = phones[index]
        let (token, event) = try open(start, on: &phone, now: now)
        phones[index] = phone
        indexByToken[token] = index
        return (token, event)
    }

    public mutating func dismiss(_ token: PushToken, now: Moment) -> [PhoneEvent] {
        guard let index = indexByToken[token] else { return [] }
        return noted(phones[index].dismiss(token, now: now), on: index)
    }

    /// The card of an activity gets another push token. The old one still answers for a while, and
    /// nothing that is sent to it arrives.
    public mutating func rotate(
        _ activity: ActivityID, on id: PhoneID, now: Moment
    ) throws(SimulatorError) -> (from: PushToken, to: PushToken, event: PhoneEvent) {
        guard let index = indexByID[id] else { throw .unknownPhone }
        let fresh = random.updateToken()
        guard
            let card = phones[index].cards.last(where: { $0.activity == activity }),
            let event = phones[index].rotate(card.token, to: fresh, now: now)
        else { throw .activityRefused("there is no running card of this activity") }
        apns.register(fresh, entry(phones[index].environment))
        apns.kill(card.token, .expired, at: now.adding(seconds: Limits.endedTokenGraceSeconds))
        indexByToken[card.token] = nil
        indexByToken[fresh] = index
        return (card.token, fresh, event)
    }

    /// All tokens of a phone die, as when its app is removed.
    public mutating func killTokens(
        of id: PhoneID, _ death: TokenDeath, now: Moment
    ) throws(SimulatorError) {
        guard let index = indexByID[id] else { throw .unknownPhone }
        for card in phones[index].cards { apns.kill(card.token, death, at: now) }
    }

    public mutating func refuseNext(_ count: Int, _ reason: APNsRefusal) {
        apns.refuseNext(count, reason)
    }

    /// A token that APNs accepts and no phone looks at: for measuring senders.
    public mutating func addSilentToken() -> PushToken {
        let token = random.updateToken()
        apns.register(token, entry(apns.configuration.environment))
        return token
    }

    private func entry(_ environment: APNsEnvironment) -> DeviceEntry {
        DeviceEntry(
            bundleID: apns.configuration.bundleIDs.min() ?? "", environment: environment)
    }

    private mutating func open(
        _ start: ActivityStart, on phone: inout PhoneMachine, now: Moment
    ) throws(SimulatorError) -> (token: PushToken, event: PhoneEvent) {
        guard let kind = kinds[start.kind] else { throw .unknownKind(start.kind) }
        if let attributes = start.attributes, attributes.count > Limits.attributesBytesMax {
            throw .activityRefused("attributesTooLarge")
        }
        let token = random.updateToken()
        do {
            let event = try phone.start(
                start.activity, kind: kind, attributes: start.attributes,
                contentState: start.contentState, token: token, now: now)
            apns.register(token, entry(phone.environment))
            return (token, event)
        } catch { throw .activityRefused(Card.explain(error)) }
    }

    private mutating func deliver(_ push: AcceptedPush, now: Moment) -> [PhoneEvent] {
        guard let index = indexByToken[push.token] else { return [] }
        return noted(
            phones[index].receive(push.body, token: push.token, now: now), on: index)
    }

    /// The token of a card that is over goes on working for a while, then answers 410.
    private mutating func noted(_ events: [PhoneEvent], on index: Int) -> [PhoneEvent] {
        guard events.contains(where: { $0.phase.isOver }) else { return events }
        for card in phones[index].cards where card.phase.isOver {
            let over = card.endedAt ?? card.dismissAt
            guard let over else { continue }
            apns.kill(
                card.token, .expired, at: over.adding(seconds: Limits.endedTokenGraceSeconds))
        }
        return events
    }
}
