import Domain
import Foundation

/// A push for a push-to-start token, and what the phone has to know for it.
struct StartPush {
    var body: [UInt8]
    /// Whose push-to-start token it came to.
    var kind: CardKind
    /// Id of the activity, should there be one.
    var activity: ActivityID
    /// Update token of the activity, should it need one.
    var token: PushToken
}

extension PhoneMachine {
    /// A push arrives for a push-to-start token. Every one that is obeyed makes another card.
    /// - Parameter hasChannel: whether the app has a channel of this id.
    mutating func receive(
        _ push: StartPush, hasChannel: (String) -> Bool, now: Moment
    ) -> [PhoneEvent] {
        var events = settle(at: now)
        var timestamp: Int64?
        do throws(IgnoredPush) {
            let envelope = try PushEnvelope(push.body)
            timestamp = envelope.timestamp
            try spendBudget(for: envelope, now: now)
            let address = try address(for: push, envelope, hasChannel: hasChannel)
            var push = push
            push.kind = build(of: push.kind)
            let card = try card(for: push, envelope, address: address, now: now)
            cards.append(card)
            events += started(card, envelope, now: now)
        } catch {
            let entry = PhoneLogEntry(
                at: now, activity: push.activity, outcome: error.outcome, sentence: error.reason,
                warnings: [], timestamp: timestamp)
            append(entry)
            events.append(
                PhoneEvent(phone: id, phoneName: name, entry: entry, kind: push.kind.name))
        }
        return events
    }

    /// Whatever asks for a card is charged, whether or not it turns out to be one.
    private mutating func spendBudget(
        for envelope: PushEnvelope, now: Moment
    ) throws(IgnoredPush) {
        guard envelope.event == .start else {
            throw IgnoredPush(
                "event \(envelope.event.rawValue) goes to the update token of a card, "
                    + "not to a push-to-start token")
        }
        guard startWindow.spend(at: now, rules) else {
            throw IgnoredPush(
                "the budget of \(rules.startsMax) starts in \(Int(rules.startWindowSeconds)) s "
                    + "is used up")
        }
    }

    private func address(
        for push: StartPush, _ envelope: PushEnvelope, hasChannel: (String) -> Bool
    ) throws(IgnoredPush) -> CardAddress {
        if envelope.inputPush != nil, traits.system < .withChannels {
            throw IgnoredPush("iOS \(traits.system) cannot start with input-push-token or -channel")
        }
        switch envelope.inputPush {
        // Without a wish, iOS gives a token, as it did before there were channels.
        case nil, .token: return .token(push.token)
        case .flawed(let reason): throw IgnoredPush(reason)
        case .channel(let channel):
            guard hasChannel(channel) else {
                throw IgnoredPush("input-push-channel names no channel of the app")
            }
            return .channel(channel)
        }
    }

    private func card(
        for push: StartPush, _ envelope: PushEnvelope, address: CardAddress, now: Moment
    ) throws(IgnoredPush) -> Card {
        guard envelope.attributesType == push.kind.attributesType else {
            throw IgnoredPush(
                envelope.attributesType == nil
                    ? "aps.attributes-type is missing or not a string"
                    : "aps.attributes-type is not \(push.kind.attributesType), "
                        + "which the push-to-start token is for")
        }
        let ageSeconds = Double(now.unixSeconds - envelope.timestamp)
        if -ageSeconds > Limits.futureSecondsMax {
            throw IgnoredPush("timestamp is more than 8 hours ahead of the phone's clock")
        }
        if ageSeconds > Limits.startAgeSecondsMax {
            throw IgnoredPush("timestamp is \(Int(ageSeconds)) s in the past, too old for a start")
        }
        guard let alert = envelope.alert, !alert.body.isEmpty else {
            throw IgnoredPush("a start needs an alert with a title and a body")
        }
        let face: CardFace
        do { face = try push.kind.begin(Data(push.body)) } catch {
            throw IgnoredPush("the start does not decode: \(Card.explain(error, within: ["aps"]))")
        }
        try face.requireFit(in: push.body, isStart: true)
        guard hasRoom(at: now) else {
            throw IgnoredPush(
                "the app has \(rules.activitiesMax) activities already (targetMaximumExceeded)")
        }
        var card = Card(
            activity: Self.named(by: face) ?? push.activity, kind: push.kind, address: address,
            startedAt: now, face: face)
        card.lastTimestamp = envelope.timestamp
        card.relevanceScore = envelope.relevanceScore
        card.staleAt = envelope.staleAt
        if let staleAt = envelope.staleAt, staleAt <= now {
            card.phase = .stale
            card.isNeverShown = true
        } else {
            card.alertCount = 1
            card.lastAlert = alert
        }
        return card
    }

    /// What the app goes by to tell one activity from another, if its attributes say so.
    private static func named(by face: CardFace) -> ActivityID? {
        struct Named: Decodable { var activityID: String? }
        let named = try? JSONDecoder().decode(Named.self, from: face.attributes)
        return named?.activityID.map { ActivityID(rawValue: $0) }
    }

    private mutating func started(
        _ card: Card, _ envelope: PushEnvelope, now: Moment
    ) -> [PhoneEvent] {
        var warnings = envelope.warnings
        warnings += card.face.dates.compactMap { $0.implausibility(at: now) }
        warnings += Card.implausible(envelope.staleAt, "stale-date", now)
        if card.isNeverShown {
            warnings.append("stale-date has passed at the start, so the card is never shown")
        }
        var events = [
            record(
                .started, startSentence(for: card), card: card, at: now, warnings: warnings,
                timestamp: envelope.timestamp, alert: card.lastAlert)
        ]
        if let token = card.token, !traits.isAppKilled {
            events.append(
                record(
                    .obtainedToken, "the app woke up and got its update token", card: card,
                    at: now, updateToken: token))
        }
        return events
    }

    private func startSentence(for card: Card) -> String {
        if card.channel != nil { return "a push started it, and it listens to a channel" }
        return traits.isAppKilled
            ? "a push started it; the app is killed and never gets its update token"
            : "a push started it"
    }
}
