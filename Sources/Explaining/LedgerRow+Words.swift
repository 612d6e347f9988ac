import Domain
public import EventStore

extension LedgerRow {
    /// The decision's result in sentences: what phones were sent because of it.
    /// - Parameters:
    ///   - later: what later pushes brought to phones that its own did not reach.
    ///   - text: the result of its text.
    public func outcomeSentences(
        later: LaterPushes = LaterPushes(), text: TextResult = TextResult()
    ) -> [String] {
        pushSentences(later, text.reworded) + sentences(of: text.outcome)
    }

    private func pushSentences(_ later: LaterPushes, _ reworded: [Int64]) -> [String] {
        guard decision.verdict.pushes else { return ["No phone was sent anything because of it."] }
        guard let outcome else { return ["It has not been sent yet."] }
        return [phones(outcome, later)] + Self.broadcasts(outcome.channels)
            + (reachedNobody ? [] : Self.rewording(of: reworded))
    }

    /// If a push reached nobody, the later pushes say what phones got.
    func sentences(of words: TextOutcome?) -> [String] {
        guard let words, !(reachedNobody && words.isOfPush) else { return [] }
        return [words.sentence]
    }

    /// It was tried, and APNs accepted it for no phone and no channel.
    var reachedNobody: Bool {
        guard let outcome else { return false }
        return outcome.failed + outcome.channels.failed > 0 && outcome.accepted == 0
            && outcome.channels.accepted == 0
    }

    private static func rewording(of versions: [Int64]) -> [String] {
        guard !versions.isEmpty else { return [] }
        let earlier = Explanation.list(versions.map { "version \($0)" })
        return [
            versions.count == 1
                ? "The alert of \(earlier) was sent in its words."
                : "The alerts of \(earlier) were sent in its words."
        ]
    }

    private func phones(_ outcome: Outcome, _ later: LaterPushes) -> String {
        let completedAt = outcome.completedAt.rfc3339
        guard outcome.phones > 0 else {
            guard outcome.channels.count == 0 else { return "No phone was sent it by itself." }
            let refused = later.refusals { $0.stood(at: outcome.completedAt) }
            return "When it was due at \(completedAt), no phone was registered"
                + (refused.isEmpty ? "." : " except for those that APNs had refused\(refused).")
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
        let failed =
            outcome.failed == 0
            ? "" : ", and not for \(outcome.failed)\(reasons(outcome, later))"
        return "\(carrier); APNs accepted it for \(outcome.accepted) of \(phones)\(failed), by "
            + "\(completedAt)." + late(outcome, later) + caughtUp(outcome, later)
    }

    /// Which phones APNs did not accept it for, and what they got later; nil when there is none.
    func refusal(_ later: LaterPushes) -> String? {
        guard let outcome, outcome.failed > 0, outcome.timestamp != nil else { return nil }
        return "APNs accepted the push of version \(outcome.carriedBy) for \(outcome.accepted) of "
            + "\(outcome.phones.counted("phone")), and not for \(outcome.failed)"
            + "\(reasons(outcome, later))." + late(outcome, later)
    }

    /// Why it was not accepted, of phones that have got nothing since: of those that wait for
    /// another try, why the last one failed. One that had an earlier version was there, also if it
    /// has registered again since.
    private func reasons(_ outcome: Outcome, _ later: LaterPushes) -> String {
        later.refusals { refusal in
            refusal.after < outcome.carriedBy && refusal.isNotBefore(decision.decidedAt)
                && (refusal.after > 0 || refusal.registeredAt <= outcome.completedAt)
        }
    }

    /// A later push brings all that an earlier one could not, to phones that are still there: of
    /// one that was given up or is forgotten nothing is said, and of one that missed something else
    /// since, only that is known.
    private func late(_ outcome: Outcome, _ later: LaterPushes) -> String {
        guard outcome.failed > 0, let late = later.behind.count(brought: outcome.carriedBy),
            late > 0
        else { return "" }
        let brought = min(late, outcome.failed)
        let phones =
            brought == outcome.failed
            ? (brought == 1 ? "that one" : "those") : "at least \(brought) of those"
        let words = words(of: later.groups(brought: outcome.carriedBy), isCounted: late == brought)
        return " A later push brought it to \(phones)\(words)."
    }

    /// What phones that had missed an earlier push were sent otherwise than the rest.
    private func caughtUp(_ outcome: Outcome, _ later: LaterPushes) -> String {
        later.caughtUp(byPushOf: outcome.carriedBy).map { group in
            " To \(group.phones.counted("phone")) that had missed an earlier push it went "
                + "\(group.said.words)."
        }.joined()
    }

    /// What the push said that brought it, where there was something to say.
    /// - Parameter isCounted: whether the numbers of phones are those of this row.
    private func words(of groups: [LaterPushes.Group], isCounted: Bool) -> String {
        let isHeard = groups.contains { group in
            switch group.said {
            case .alert, .perhaps: true
            case .nothing, .tooLate, .unknown: speaks
            }
        }
        guard isHeard, let first = groups.first else { return "" }
        guard groups.count > 1 else { return ", \(first.said.words)" }
        let parts = groups.map { group in
            "to \(isCounted ? "\(group.phones)" : "some") \(group.said.words)"
        }
        return ": " + parts.joined(separator: "; ")
    }

    /// Quiet hours kept its text back.
    var wasKeptBack: Bool { decision.alertContext?.silence == .quietHours }

    /// It had something to say, or other words for what was to be said.
    var speaks: Bool {
        decision.alert != nil || decision.alertContext?.amendments.isEmpty == false
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
            // The ledger keeps no result of a later try.
            sentences.append(
                "APNs did not accept \(count) when it was due, and may have done so since.")
        }
        return sentences
    }
}
