public import Domain

/// An iPhone's ActivityKit as a value: inputs and time in, changes out.
///
/// Whatever it does with a push, the sender never hears of it. The log does: it says for every
/// push whether it was shown, and if not, why.
public struct PhoneMachine: Sendable {
    public let id: PhoneID
    public let name: String
    public let environment: APNsEnvironment
    var traits: PhoneTraits
    public internal(set) var cards: [Card] = []
    /// Oldest first; the oldest are dropped beyond `Limits.logEntriesMax`.
    public private(set) var log: [PhoneLogEntry] = []
    /// The push-to-start tokens that its app has asked for, by name of the kind.
    var startTokens: [String: PushToken] = [:]
    let rules: PhoneRules
    var startWindow = StartWindow()

    /// - Parameter environment: for a phone whose traits name none.
    public init(
        id: PhoneID, name: String, environment: APNsEnvironment,
        traits: PhoneTraits = PhoneTraits(), rules: PhoneRules = PhoneRules()
    ) {
        self.id = id
        self.name = name
        self.environment = traits.environment ?? environment
        self.traits = traits
        self.rules = rules
    }

    /// When time alone changes a card next; nil when nothing is left to happen.
    public var nextDue: Moment? { cards.compactMap(\.nextDue).min() }

    /// False when as many activities run, or are to, as the system allows an app.
    public func hasRoom(at now: Moment) -> Bool {
        cards.count { !$0.phase.isOver && $0.activeUntil > now } < rules.activitiesMax
    }

    /// The app starts an activity that gets its pushes from `address`, or plans one that the system
    /// begins by itself.
    /// - Throws: when the attributes or the state do not decode into the app's types.
    public mutating func start(
        _ start: ActivityStart, kind: CardKind, from address: CardAddress, now: Moment
    ) throws -> PhoneEvent {
        let face = try kind.open(start.attributes, start.contentState)
        var card = Card(
            activity: start.activity, kind: build(of: kind), address: address,
            startedAt: start.startsAt ?? now, face: face)
        if start.startsAt != nil { card.phase = .pending }
        cards.append(card)
        if start.startsAt != nil {
            return record(.scheduled, "the app planned it for later", card: card, at: now)
        }
        let sentence =
            card.channel == nil
            ? "the app started it and registered for pushes"
            : "the app started it and listens to a channel"
        return record(
            .started, sentence, card: card, at: now,
            // A kind's own beginning knows no dates yet; whatever stands in for them is no mistake.
            warnings: start.contentState == nil
                ? [] : face.dates.compactMap { $0.implausibility(at: now) })
    }

    /// Brings about what time alone brings about.
    public mutating func settle(at now: Moment) -> [PhoneEvent] {
        var events: [PhoneEvent] = []
        for index in cards.indices {
            for change in cards[index].settle(at: now) {
                events.append(
                    record(change.outcome, change.sentence, card: cards[index], at: change.at))
            }
        }
        return events
    }

    /// The person swipes away the cards of an activity. The sender learns nothing of it.
    /// - Parameter activity: nil for all cards of the phone.
    public mutating func dismiss(_ activity: ActivityID?, now: Moment) -> [PhoneEvent] {
        var events = settle(at: now)
        for index in cards.indices
        where cards[index].phase != .dismissed
            && (activity == nil || cards[index].activity == activity)
        {
            cards[index].phase = .dismissed
            cards[index].dismissAt = now
            events.append(
                record(.dismissed, "the person swiped it away", card: cards[index], at: now))
        }
        return events
    }

    /// The system gives the card with `token` another one. The app learns of it, the sender only
    /// from the app.
    /// - Returns: nil when there is no such card or it is over.
    public mutating func rotate(
        _ token: PushToken, to fresh: PushToken, now: Moment
    ) -> PhoneEvent? {
        guard let index = cards.firstIndex(where: { $0.token == token }),
            !cards[index].phase.isOver
        else { return nil }
        cards[index].address = .token(fresh)
        return record(
            .rotated, "the system gave it another push token", card: cards[index], at: now,
            updateToken: traits.isAppKilled ? nil : fresh)
    }

    /// A push arrives for the card with `token`.
    public mutating func receive(
        _ body: [UInt8], token: PushToken, priority: Int, now: Moment
    ) -> [PhoneEvent] {
        var events = settle(at: now)
        guard let index = cards.firstIndex(where: { $0.token == token }) else { return events }
        var push = ReadPush(body)
        events.append(obey(&push, on: index, priority, now: now))
        return events + settle(at: now)
    }

    /// A broadcast arrives: for every running card that listens to `channel`.
    mutating func receive(
        _ push: inout ReadPush, channel: String, priority: Int, now: Moment
    ) -> [PhoneEvent] {
        var events = settle(at: now)
        for index in cards.indices where cards[index].listens(to: channel) {
            events.append(obey(&push, on: index, priority, now: now))
        }
        return events + settle(at: now)
    }

    private mutating func obey(
        _ push: inout ReadPush, on index: Int, _ priority: Int, now: Moment
    ) -> PhoneEvent {
        let timestamp = try? push.envelope.get().timestamp
        do throws(IgnoredPush) {
            let envelope = try push.envelope.get()
            try spendBudget(of: index, priority, now: now)
            var card = cards[index]
            let warnings = try card.obey(&push, on: traits.system, now: now)
            cards[index] = card
            return record(
                envelope.event == .end ? .ended : .shown, Self.sentence(for: envelope),
                card: card, at: now, warnings: warnings, timestamp: timestamp,
                alert: envelope.alert)
        } catch {
            return record(
                error.outcome, error.reason, card: cards[index], at: now, timestamp: timestamp)
        }
    }

    /// Whatever comes at priority 10 is charged, whether or not it changes anything.
    private mutating func spendBudget(
        of index: Int, _ priority: Int, now: Moment
    ) throws(IgnoredPush) {
        let pace = traits.allowsFrequentUpdates ? rules.frequentUpdates : rules.updates
        guard priority == 10, !cards[index].phase.isOver, let pace else { return }
        guard cards[index].budget.spend(at: now, pace) else {
            throw IgnoredPush(
                "the budget of \(Int(pace.count)) updates at priority 10 and one more each "
                    + "\(Int(pace.refillSeconds)) s is used up",
                outcome: .throttled)
        }
    }

    mutating func record(
        _ outcome: PhoneLogEntry.Outcome, _ sentence: String, card: Card, at moment: Moment,
        warnings: [String] = [], timestamp: Int64? = nil, alert: Alert? = nil,
        updateToken: PushToken? = nil
    ) -> PhoneEvent {
        let entry = PhoneLogEntry(
            at: moment, activity: card.activity, outcome: outcome, sentence: sentence,
            warnings: warnings, timestamp: timestamp, alert: alert)
        append(entry)
        return PhoneEvent(
            phone: id, phoneName: name, entry: entry, kind: card.kind.name,
            attributes: card.face.attributes, phase: card.phase,
            presentation: card.presentation, updateToken: updateToken)
    }

    mutating func append(_ entry: PhoneLogEntry) {
        log.append(entry)
        // In halves, so that a full log does not shift all its entries at every push.
        if log.count > Limits.logEntriesMax * 2 { log.removeFirst(Limits.logEntriesMax) }
    }

    private static func sentence(for envelope: PushEnvelope) -> String {
        switch (envelope.event, envelope.alert) {
        case (.end, nil): "the activity ended"
        case (.end, .some): "the activity ended with an alert"
        case (_, nil): "shown quietly"
        case (_, .some): "shown with an alert"
        }
    }
}
