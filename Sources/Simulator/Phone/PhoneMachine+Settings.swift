public import Domain
public import Foundation

extension PhoneMachine {
    /// The app plans an activity that the system begins by itself.
    public mutating func schedule(
        _ activity: ActivityID, kind: CardKind, attributes: Data?, contentState: Data?,
        address: CardAddress, startsAt: Moment, now: Moment
    ) throws -> PhoneEvent {
        var card = Card(
            activity: activity, kind: build(of: kind), address: address, startedAt: startsAt,
            face: try kind.open(attributes, contentState))
        card.phase = .pending
        cards.append(card)
        return record(.scheduled, "the app planned it for later", card: card, at: now)
    }

    /// Whether frequent updates are allowed is fixed for the life of an activity, so those that run
    /// end.
    mutating func setFrequentUpdates(_ areAllowed: Bool, now: Moment) -> [PhoneEvent] {
        var events = settle(at: now)
        guard areAllowed != allowsFrequentUpdates else { return events }
        allowsFrequentUpdates = areAllowed
        for index in cards.indices where !cards[index].phase.isOver {
            cards[index].end(at: now, dismissAt: nil)
            events.append(
                record(
                    .ended, "frequent updates were switched \(areAllowed ? "on" : "off")",
                    card: cards[index], at: now))
        }
        return events
    }

    /// A push for the token was accepted and never comes.
    mutating func missed(_ token: PushToken, _ sentence: String, at now: Moment) {
        let activity = cards.last { $0.token == token }?.activity
        missed(activity ?? ActivityID(rawValue: "a start"), sentence, at: now)
    }

    /// A broadcast on the channel was accepted and never comes.
    mutating func missed(_ channel: String, _ sentence: String, at now: Moment) {
        for card in cards where card.listens(to: channel) {
            missed(card.activity, sentence, at: now)
        }
    }

    private mutating func missed(_ activity: ActivityID, _ sentence: String, at now: Moment) {
        append(
            PhoneLogEntry(
                at: now, activity: activity, outcome: .lost, sentence: sentence, warnings: [],
                timestamp: nil))
    }

    /// What the app on this phone has of the kind.
    func build(of kind: CardKind) -> CardKind {
        older[kind.name].map { kind.older($0) } ?? kind
    }
}
