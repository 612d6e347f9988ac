import Domain
import EventStore

/// Why a phone was sent what it was sent, in sentences for support agents.
public struct Explanation: Sendable {
    public let sentences: [String]
    /// What the event changed on the card.
    public let changes: [MemberChange]
    /// What it was made of.
    public let findings: Findings

    public init(_ findings: Findings) {
        self.findings = findings
        let nothing = "The card stayed as it was, and no phone was sent anything because of it."
        var changes: [MemberChange] = []
        let others: [String]
        switch findings.state {
        case .decided(let row, let before):
            changes = StateDifference.between(before, row.decision.contentState)
            others =
                [Self.card(changes)]
                + Self.decision(row.decision, isRewording: !findings.text.reworded.isEmpty)
                + Self.delivery(row, findings)
        case .undecided(.parked(let reason)?): others = ["It is parked: \(reason).", nothing]
        case .undecided(.skipped?):
            others = [
                "It is skipped: it could not be folded, and an operator left it out.", nothing,
            ]
        case .undecided(nil):
            others = ["It is not folded yet, so nothing has been decided about it."]
        }
        self.changes = changes
        sentences = [Self.event(findings.event)] + others
    }

    private static func event(_ recorded: RecordedEvent) -> String {
        let event = recorded.event
        let beginning =
            "Version \(recorded.version) is the event \(event.type) of \(event.source), which "
        let late = recorded.recordedAt.seconds(since: event.occurredAt)
        if late <= -1 {
            return beginning + "bears the time \(event.occurredAt.rfc3339) and was recorded "
                + "\(Moment.words(forSeconds: -late)) before that."
        }
        let delay = late < 1 ? "at once" : "\(Moment.words(forSeconds: late)) later"
        return beginning + "happened at \(event.occurredAt.rfc3339) and was recorded \(delay)."
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

    private static func delivery(_ row: LedgerRow, _ findings: Findings) -> [String] {
        guard let around = findings.deliverySituation else {
            return row.sentences(of: findings.text.outcome)
                + ["An export does not say what phones were sent."]
        }
        var sentences = row.outcomeSentences(later: around.later, text: findings.text)
        if let refusal = findings.carrier.flatMap({ $0.row.refusal($0.later) }) {
            sentences.append(refusal)
        }
        if row.decision.verdict.pushes {
            sentences += around.cards.sentences + around.deferred.sentences(of: .cards)
        }
        return sentences + (around.audience?.sentences ?? [])
            + around.deferred.sentences(of: .starts)
    }
}
