public import Domain

/// What happens to phones other than by pushes.
extension World {
    /// A new phone with the app on it, which has not started anything.
    public mutating func addPhone(
        named name: String, with traits: PhoneTraits = PhoneTraits()
    ) throws(SimulatorError) -> PhoneID {
        guard phones.count < Limits.phonesMax else { throw .tooManyPhones }
        return add(newPhone(name, traits))
    }

    /// A new phone whose app starts one activity.
    /// - Parameter channel: that the card listens to; nil for a card with a push token.
    public mutating func addPhone(
        named name: String, with traits: PhoneTraits = PhoneTraits(),
        starting start: ActivityStart, channel: String? = nil, now: Moment
    ) throws(SimulatorError) -> (id: PhoneID, token: PushToken?, event: PhoneEvent) {
        guard phones.count < Limits.phonesMax else { throw .tooManyPhones }
        var phone = newPhone(name, traits)
        let event = try open(start, channel, on: &phone, now: now)
        return (add(phone), phone.cards.last?.token, event)
    }

    /// The app on a known phone starts a further activity.
    /// - Parameter channel: that the card listens to; nil for a card with a push token.
    public mutating func start(
        _ start: ActivityStart, on id: PhoneID, channel: String? = nil, now: Moment
    ) throws(SimulatorError) -> (token: PushToken?, event: PhoneEvent) {
        guard let index = indexByID[id] else { throw .unknownPhone }
        var phone = phones[index]
        let event = try open(start, channel, on: &phone, now: now)
        phones[index] = phone
        let card = phone.cards.last
        if let card { connect(card, on: index) }
        return (card?.token, event)
    }

    /// The push-to-start token of a kind, as the app gets it from the system: the same each time
    /// until it rotates.
    public mutating func startToken(
        for kind: String, on id: PhoneID
    ) throws(SimulatorError) -> PushToken {
        let (index, kind) = try starter(kind, id)
        return phones[index].startTokens[kind.name] ?? makeStartToken(kind, on: index)
    }

    /// The update token of a running card, as its app has it: of one that a push started, too.
    public func updateToken(
        of activity: ActivityID, on id: PhoneID
    ) throws(SimulatorError) -> PushToken {
        guard let index = indexByID[id] else { throw .unknownPhone }
        let phone = phones[index]
        guard
            let token = phone.cards.last(where: { $0.activity == activity && !$0.phase.isOver })?
                .token
        else { throw .noToken("there is no running card of this activity with a token") }
        guard !phone.traits.isAppKilled else {
            throw .noToken("the app was killed, so it never got the token")
        }
        return token
    }

    /// The system gives the app another push-to-start token. The old one still answers 200, and
    /// nothing that is sent to it arrives: reported of such tokens for weeks.
    public mutating func rotateStartToken(
        for kind: String, on id: PhoneID
    ) throws(SimulatorError) -> (from: PushToken, to: PushToken) {
        let old = try startToken(for: kind, on: id)
        let (index, kind) = try starter(kind, id)
        destinations[old] = nil
        return (old, makeStartToken(kind, on: index))
    }

    /// The person swipes away the cards of an activity.
    /// - Parameter activity: nil for all cards of the phone.
    public mutating func dismiss(
        _ activity: ActivityID?, on id: PhoneID, now: Moment
    ) throws(SimulatorError) -> [PhoneEvent] {
        guard let index = indexByID[id] else { throw .unknownPhone }
        return noted(phones[index].dismiss(activity, now: phoneTime(now)), on: index)
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
            let old = card.token,
            let event = phones[index].rotate(old, to: fresh, now: phoneTime(now))
        else { throw .activityRefused("there is no running card of this activity with a token") }
        register(fresh, on: index)
        let dead = apnsTime(now).adding(seconds: Limits.endedTokenGraceSeconds)
        apns.directory.kill(old, .expired, at: dead)
        destinations[old] = nil
        destinations[fresh] = Destination(phone: index)
        return (old, fresh, event)
    }

    /// All tokens of a phone die, as when its app is removed.
    public mutating func killTokens(
        of id: PhoneID, _ death: TokenDeath, now: Moment
    ) throws(SimulatorError) {
        guard let index = indexByID[id] else { throw .unknownPhone }
        killTokens(of: phones[index], death, now: now)
    }

    mutating func killTokens(of phone: PhoneMachine, _ death: TokenDeath, now: Moment) {
        let tokens = phone.cards.compactMap(\.token) + phone.startTokens.values
        for token in tokens { apns.directory.kill(token, death, at: apnsTime(now)) }
    }

    /// The person switches frequent updates on or off in the settings, which ends the app's running
    /// activities. Source: Apple, WWDC23 session 10185.
    public mutating func setFrequentUpdates(
        _ areAllowed: Bool, on id: PhoneID, now: Moment
    ) throws(SimulatorError) -> [PhoneEvent] {
        guard let index = indexByID[id] else { throw .unknownPhone }
        guard phones[index].traits.system >= .withFrequentUpdates else {
            throw .systemTooOld("frequent updates are allowed or not from iOS 16.2 on")
        }
        return noted(
            phones[index].setFrequentUpdates(areAllowed, now: phoneTime(now)), on: index)
    }

    private func newPhone(_ name: String, _ traits: PhoneTraits) -> PhoneMachine {
        PhoneMachine(
            id: PhoneID(rawValue: "phone-\(phones.count + 1)"), name: name,
            environment: apns.configuration.environment, traits: traits, rules: rules)
    }

    private mutating func add(_ phone: PhoneMachine) -> PhoneID {
        let index = phones.count
        indexByID[phone.id] = index
        phones.append(phone)
        for card in phone.cards { connect(card, on: index) }
        return phone.id
    }

    private mutating func open(
        _ start: ActivityStart, _ channel: String?, on phone: inout PhoneMachine, now: Moment
    ) throws(SimulatorError) -> PhoneEvent {
        let address = channel.map { CardAddress.channel($0) } ?? .token(random.updateToken())
        guard let kind = kinds[start.kind] else { throw .unknownKind(start.kind) }
        guard phone.traits.system >= .withActivities else {
            throw .systemTooOld("Live Activities exist from iOS 16.1 on")
        }
        if let attributes = start.attributes, attributes.count > Limits.attributesBytesMax {
            throw .activityRefused("attributesTooLarge")
        }
        if let channel {
            guard phone.traits.system >= .withChannels else {
                throw .systemTooOld("cards listen to channels from iOS 18 on")
            }
            guard
                apns.channels.channel(channel, of: bundleID, in: phone.environment) != nil
            else {
                throw .activityRefused("the app has no channel of this id")
            }
        }
        let time = phoneTime(now)
        guard phone.hasRoom(at: time) else { throw .activityRefused("targetMaximumExceeded") }
        guard start.startsAt == nil || phone.traits.system >= .withScheduling else {
            throw .systemTooOld("apps plan activities from iOS 26 on")
        }
        do {
            return try phone.start(start, kind: kind, from: address, now: time)
        } catch { throw .activityRefused(Card.explain(error)) }
    }

    private func starter(
        _ kind: String, _ id: PhoneID
    ) throws(SimulatorError) -> (phone: Int, kind: CardKind) {
        guard let index = indexByID[id] else { throw .unknownPhone }
        guard let kind = kinds[kind] else { throw .unknownKind(kind) }
        guard phones[index].traits.system >= .withStartTokens else {
            throw .systemTooOld("push-to-start tokens exist from iOS 17.2 on")
        }
        return (index, kind)
    }

    private mutating func makeStartToken(_ kind: CardKind, on index: Int) -> PushToken {
        let token = random.updateToken()
        register(token, on: index)
        destinations[token] = Destination(phone: index, starts: kind)
        phones[index].startTokens[kind.name] = token
        return token
    }
}
