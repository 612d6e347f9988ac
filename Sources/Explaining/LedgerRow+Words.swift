public import Domain
public import EventStore

extension LedgerRow {
    /// The decision's result in sentences: what phones were sent because of it.
    /// - Parameter behind: phones that missed something and got it later.
    public func outcomeSentences(behind: PhonesBehind = PhonesBehind()) -> [String] {
        guard decision.verdict.pushes else { return ["No phone was sent anything because of it."] }
        guard let outcome else { return ["It has not been sent yet."] }
        return [phones(outcome, behind)] + Self.broadcasts(outcome.channels)
    }

    private func phones(_ outcome: Outcome, _ behind: PhonesBehind) -> String {
        let completedAt = outcome.completedAt.rfc3339
        guard outcome.phones > 0 else {
            return outcome.channels.count > 0
                ? "No phone was sent it by itself."
                : "When it was due at \(completedAt), no phone was registered."
        }
        let phones = outcome.phones.counted("phone")
        if outcome.wasCoveredByEarlierPush {
            return "It was covered by an earlier push, which brought this to \(phones) as well."
        }
        if outcome.timestamp == nil, outcome.accepted == 0 {
            return "It was not sent: the state is too large for a push."
        }
        let carrier =
            outcome.carriedBy == decision.version
            ? "It was sent" : "The push of version \(outcome.carriedBy) carried it"
        let failed = outcome.failed == 0 ? "" : ", and not for \(outcome.failed)"
        return "\(carrier); APNs accepted it for \(outcome.accepted) of \(phones)\(failed), by "
            + "\(completedAt)." + Self.late(outcome, behind)
    }

    /// A later push brings all that an earlier one could not, to phones that are still there: of
    /// one that was given up or is forgotten nothing is said, and of one that missed something else
    /// since, only that is known.
    private static func late(_ outcome: Outcome, _ behind: PhonesBehind) -> String {
        guard outcome.failed > 0, let late = behind.count(brought: outcome.carriedBy), late > 0
        else { return "" }
        let brought = min(late, outcome.failed)
        return brought == outcome.failed
            ? " A later push brought it to \(brought == 1 ? "that one" : "those")."
            : " A later push brought it to at least \(brought) of those."
    }

    private static func broadcasts(_ channels: ChannelTally) -> [String] {
        var sentences: [String] = []
        if channels.accepted > 0 {
            sentences.append(
                channels.accepted == 1
                    ? "APNs accepted one broadcast to the listeners."
                    : "APNs accepted \(channels.accepted) broadcasts to the listeners.")
        }
        if channels.failed > 0 {
            let count = channels.failed == 1 ? "one broadcast" : "\(channels.failed) broadcasts"
            sentences.append("APNs did not accept \(count).")
        }
        return sentences
    }
}
