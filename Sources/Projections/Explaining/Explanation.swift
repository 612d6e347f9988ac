public import Domain
public import Foundation

/// Why a phone was told what it was told, in sentences for whoever answers a complaint.
public struct Explanation: Hashable, Sendable {
    /// What became of a decision that pushes.
    public struct Outcome: Hashable, Sendable {
        /// Version of the decision whose push carried it.
        public var carriedBy: Int64
        /// Phones for which APNs accepted it, and for which it did not.
        public var accepted: Int
        /// Phones for which the push failed.
        public var failed: Int
        /// When the last answer was recorded.
        public var settledAt: Moment
        /// Broadcasts, beside what phones were sent one by one.
        public var channels: ChannelTally
        /// No push was needed: one that overtook it had told all phones.
        public var wasToldAhead: Bool

        public init(
            carriedBy: Int64, accepted: Int, failed: Int, settledAt: Moment,
            channels: ChannelTally = .none, wasToldAhead: Bool = false
        ) {
            self.carriedBy = carriedBy
            self.accepted = accepted
            self.failed = failed
            self.settledAt = settledAt
            self.channels = channels
            self.wasToldAhead = wasToldAhead
        }
    }

    /// For people, in the order of what happened.
    public let sentences: [String]
    /// What the event changed on the card.
    public let changes: [MemberChange]

    /// - Parameters:
    ///   - before: the content state that phones were to be shown until then.
    ///   - outcome: nil while nothing was sent.
    ///   - words: what became of its words, when they did not go out with a push of its own.
    ///   - cards: how they stood when it was sent; nil where nobody knows.
    ///   - held: phones of the activity that wait now because nothing is sent for their app.
    ///   - starts: cards of the activity that pushes have started until now, or were to.
    public init(
        _ event: RecordedEvent, _ decision: Decision, before: Data?, outcome: Outcome?,
        words: WordsFate? = nil, cards: CardTally? = nil,
        held: [HeldPhones] = [], starts: [StartState: Int] = [:]
    ) {
        changes = StateDifference.between(before, decision.contentState)
        sentences =
            Self.event(event) + [Self.card(changes)] + Self.verdict(decision)
            + Self.keptBack(decision) + Self.pace(decision)
            + [Self.outcome(decision, outcome)] + (words.map { [$0.sentence] } ?? [])
            + Self.broadcasts(outcome?.channels ?? .none)
            + (decision.verdict.pushes ? cards?.sentences ?? [] : [])
            + (decision.verdict.pushes ? held.sentences : [])
            + StartSentences.of(starts)
    }

    /// Of an event that changes nothing.
    /// - Parameter reason: why it is parked, without a full stop; nil when it is skipped.
    public init(_ event: RecordedEvent, parked reason: String?) {
        changes = []
        sentences =
            Self.event(event) + [
                reason.map { "It is parked: \($0)." }
                    ?? "It is skipped: it could not be folded, and an operator left it out.",
                "The card stayed as it was, and no phone was sent anything because of it.",
            ]
    }

    private static func event(_ recorded: RecordedEvent) -> [String] {
        let event = recorded.event
        let late = recorded.recordedAt.seconds(since: event.occurredAt)
        let time =
            switch late {
            case ..<(-1):
                "bears the time \(event.occurredAt.rfc3339) and was recorded "
                    + "\(duration(-late)) before that"
            case ..<1: "happened at \(event.occurredAt.rfc3339) and was recorded at once"
            default:
                "happened at \(event.occurredAt.rfc3339) and was recorded \(duration(late)) later"
            }
        return [
            "Version \(recorded.version) is the event \(event.type) of \(event.source), which \(time)."
        ]
    }

    private static func card(_ changes: [MemberChange]) -> String {
        guard !changes.isEmpty else { return "It changed nothing on the card." }
        let list = changes.map { change in
            switch (change.before, change.after) {
            case (let before?, let after?): "\(change.member) from \(before) to \(after)"
            case (nil, let after?): "\(change.member) to \(after)"
            case (_, nil): "\(change.member), which is gone"
            }
        }
        return "On the card it changed \(list.joined(separator: "; "))."
    }

    private static func verdict(_ decision: Decision) -> [String] {
        let words = decision.alert.map { ": “\($0.title)” – “\($0.body)”" } ?? ""
        let verdict =
            switch decision.verdict {
            case .alert: "Phones were to be alerted\(words)."
            case .timely: "Phones were to be updated at once, without a word."
            case .quiet: "Phones were to be updated when convenient."
            case .hold: "Nothing was to be sent."
            case .end: "The activity was to end\(words.isEmpty ? ", without a word" : words)."
            }
        let policy =
            decision.policyVersion == 0
            ? "the built-in policy" : "version \(decision.policyVersion) of the policy"
        return [verdict, "The rule “\(decision.rule)” of \(policy) says why: \(decision.reason)"]
            + worth(decision)
    }

    /// What it would have been, when something else came of it.
    private static func worth(_ decision: Decision) -> [String] {
        guard let significance = decision.significance, significance.verdict != decision.verdict
        else { return [] }
        let worth =
            switch significance {
            case .alert: "an alert"
            case .timely: "an update at once, without a word"
            case .ambient: "an update when convenient"
            case .none: "no push"
            }
        return ["By itself the change was worth \(worth)."]
    }

    /// What earlier decisions had wanted to say.
    private static func keptBack(_ decision: Decision) -> [String] {
        guard let news = decision.news else { return [] }
        let told = news.carried.map { "“\($0.alert.title)” of version \($0.version)" }
        let dropped = news.dropped.filter { $0 != decision.version }.map { "version \($0)" }
        return [
            told.isEmpty ? nil : "It tells what quiet hours kept back: \(list(told)).",
            dropped.isEmpty
                ? nil
                : "What quiet hours kept back of \(list(dropped)) is not going to be told.",
        ].compactMap(\.self)
    }

    private static func list(_ items: [String]) -> String {
        items.count < 2
            ? items.joined()
            : items.dropLast().joined(separator: ", ") + " and " + items.suffix(1).joined()
    }

    private static func pace(_ decision: Decision) -> [String] {
        guard let order = decision.order else { return [] }
        var sentences: [String] = []
        if let budget = order.budget, decision.verdict != .quiet {
            sentences.append(
                "Of the budget of priority 10 there were \(tokens(budget.before.standard)) pushes "
                    + "left for phones in general and \(tokens(budget.before.frequent)) for those "
                    + "with frequent updates.")
        }
        switch order.step {
        case .asWanted: break
        case .lowered where order.isImmediateForFrequent:
            sentences.append(
                "Phones in general got it at priority 5, those with frequent updates at 10.")
        case .lowered:
            sentences.append("All phones got it at priority 5, which may arrive later.")
        case .merged, .held:
            if let after = order.sendAfter {
                sentences.append("It was to wait until \(after.rfc3339) unless another push went.")
            }
        }
        return sentences
    }

    private static func outcome(_ decision: Decision, _ outcome: Outcome?) -> String {
        guard decision.verdict.pushes else { return "So no phone was sent anything because of it." }
        guard let outcome else { return "It has not been sent yet." }
        let phones = outcome.accepted + outcome.failed
        guard phones > 0 else {
            return outcome.channels.count > 0
                ? "No phone was sent it by itself."
                : "When it was due at \(outcome.settledAt.rfc3339), no phone was registered."
        }
        guard !outcome.wasToldAhead else {
            return "The push before it was still on its way when this was decided, and told all "
                + "\(phones) phones this as well."
        }
        let failed = outcome.failed == 0 ? "" : ", and not for \(outcome.failed)"
        let carrier =
            outcome.carriedBy == decision.version
            ? "It was sent" : "The push of version \(outcome.carriedBy) carried it"
        return "\(carrier); APNs accepted it for \(outcome.accepted) of \(phones) phones"
            + "\(failed), by \(outcome.settledAt.rfc3339)."
    }

    private static func broadcasts(_ channels: ChannelTally) -> [String] {
        var sentences: [String] = []
        if channels.accepted > 0 {
            let count = channels.accepted == 1 ? "One broadcast" : "\(channels.accepted) broadcasts"
            sentences.append("\(count) reached whoever listens.")
        }
        if channels.failed > 0 {
            let count = channels.failed == 1 ? "one broadcast" : "\(channels.failed) broadcasts"
            sentences.append("APNs did not accept \(count).")
        }
        return sentences
    }

    private static func tokens(_ level: Double) -> String {
        String(Int(level.rounded(.down)))
    }

    private static func duration(_ seconds: Double) -> String {
        switch seconds {
        case ..<120: "\(Int(seconds)) seconds"
        case ..<7200: "\(Int(seconds / 60)) minutes"
        default: "\(Int(seconds / 3600)) hours"
        }
    }
}
