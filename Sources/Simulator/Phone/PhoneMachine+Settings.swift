import Domain

extension PhoneMachine {
    /// Whether frequent updates are allowed is fixed for the life of an activity, so those that run
    /// end.
    mutating func setFrequentUpdates(_ areAllowed: Bool, now: Moment) -> [PhoneEvent] {
        var events = settle(at: now)
        guard areAllowed != traits.allowsFrequentUpdates else { return events }
        traits.allowsFrequentUpdates = areAllowed
        for index in cards.indices where !cards[index].phase.isOver {
            cards[index].end(at: now, dismissAt: nil)
            events.append(
                record(
                    .ended, "frequent updates were switched \(areAllowed ? "on" : "off")",
                    card: cards[index], at: now))
        }
        return events
    }

    /// What the log calls the addressee of a push: a start names no activity yet.
    func activity(of token: PushToken) -> ActivityID {
        cards.last { $0.token == token }?.activity ?? ActivityID(rawValue: "a start")
    }

    /// A broadcast on the channel was accepted and never comes.
    mutating func missed(_ channel: String, _ sentence: String, at now: Moment) {
        for card in cards where card.listens(to: channel) {
            missed(card.activity, sentence, at: now)
        }
    }

    /// A push for the activity was accepted and never comes.
    mutating func missed(_ activity: ActivityID, _ sentence: String, at now: Moment) {
        append(
            PhoneLogEntry(
                at: now, activity: activity, outcome: .lost, sentence: sentence, warnings: [],
                timestamp: nil))
    }

    /// What the app on this phone has of the kind.
    func build(of kind: CardKind) -> CardKind {
        traits.older[kind.name].map { kind.older($0) } ?? kind
    }
}
