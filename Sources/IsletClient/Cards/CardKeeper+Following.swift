public import Foundation

extension CardKeeper {
    /// Tells of each token and each state of one card until the card is dismissed.
    ///
    /// ActivityKit gives a token a moment after the card was started, and another one whenever it
    /// likes. An app that reads `pushToken` once has none, or an old one.
    /// - Parameters:
    ///   - tokens: makes the sequence of tokens, for not every sequence may go to another task.
    ///   - states: makes the sequence of states.
    public func follow<Tokens: AsyncSequence, States: AsyncSequence>(
        _ id: String, of activity: String, tokens: @escaping @Sendable () -> Tokens?,
        states: @escaping @Sendable () -> States?
    ) async
    where
        Tokens.Element == Data, Tokens: SendableMetatype, Tokens.AsyncIterator: SendableMetatype,
        States.Element == CardState, States: SendableMetatype,
        States.AsyncIterator: SendableMetatype
    {
        await withTaskGroup(of: Ending.self) { group in
            group.addTask {
                guard let tokens = tokens() else { return .isOpen }
                // Such a sequence ends and does not fail.
                do {
                    for try await token in tokens {
                        await self.card(id, of: activity, hasToken: Secret(pushToken: token))
                    }
                } catch {}
                return .isOpen
            }
            group.addTask {
                guard let states = states() else { return .isOpen }
                do {
                    for try await state in states {
                        await self.card(id, of: activity, became: state)
                        if state == .dismissed { return .isOver }
                    }
                } catch {}
                return .isOpen
            }
            // The tokens' sequence may stay open for ever; that of the states ends the card.
            if await group.next() == .isOver { group.cancelAll() }
            await group.waitForAll()
        }
    }

    /// Hands over the push-to-start token that there is, and each that comes, until the task is
    /// cancelled: the person may have signed out by then, and the phone is the next one's.
    /// - Parameters:
    ///   - first: nil when there is none yet. The sequence may begin with the next one.
    ///   - tokens: makes the sequence of tokens.
    package func followStartTokens<Tokens: AsyncSequence>(
        _ kind: String, topics: [String], first: Data?, tokens: @Sendable () -> Tokens
    ) async
    where
        Tokens.Element == Data, Tokens: SendableMetatype, Tokens.AsyncIterator: SendableMetatype
    {
        if Task.isCancelled { return }
        if let first { canStart(kind, with: Secret(pushToken: first), topics: topics) }
        // Such a sequence ends and does not fail.
        do {
            for try await token in tokens() {
                if Task.isCancelled { return }
                canStart(kind, with: Secret(pushToken: token), topics: topics)
            }
        } catch {}
    }

    /// Of several cards of one activity the phone is to keep the one that came last.
    /// - Parameters:
    ///   - ids: names of those that it shows, in ActivityKit's order.
    ///   - newest: nil when the keeper has to find out.
    /// - Returns: names of those that are to be ended now, which the keeper knows by then.
    package func willEndOthers(
        among ids: [String], of activity: String, but newest: String?
    ) -> [String] {
        // Before the first unlocking nobody knows which came last.
        guard ids.count > 1, !isUnread,
            // One that is over by now is none of them.
            let newest = ids.first(where: { $0 == newest }) ?? keep.newest(among: ids)
        else { return [] }
        let others = ids.filter { $0 != newest }
        // The newest is there before they end: what Islet has by the installation's name, such as
        // that it listens, is of the newest card, and no end of an older one closes it.
        for id in others + [newest] { change(id, activity) { $0.isGone = nil } }
        keep.putLast(newest)
        for id in others { willEnd(id, of: activity) }
        return others
    }
}

/// What the end of one sequence says of the card.
private enum Ending {
    case isOpen, isOver
}
