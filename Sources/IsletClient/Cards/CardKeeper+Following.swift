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
        // What the end of one sequence says: whether the card is over.
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                guard let tokens = tokens() else { return false }
                // Such a sequence ends and does not fail.
                do {
                    for try await token in tokens {
                        await self.card(id, of: activity, hasToken: Secret(pushToken: token))
                    }
                } catch {}
                return false
            }
            group.addTask {
                guard let states = states() else { return false }
                do {
                    for try await state in states {
                        await self.card(id, of: activity, became: state)
                        if state == .dismissed { return true }
                    }
                } catch {}
                return false
            }
            // The tokens' sequence may stay open for ever; that of the states ends the card.
            if await group.next() == true { group.cancelAll() }
            await group.waitForAll()
        }
    }

    /// Hands over the push-to-start token that there is, and each that comes, until the task is
    /// cancelled: the person may have signed out by then, and the phone is the next one's.
    /// - Parameters:
    ///   - present: nil when there is none yet. The sequence may begin with the next one, and say
    ///     nothing of one that comes late.
    ///   - tokens: makes the sequence of tokens.
    package func followStartTokens<Tokens: AsyncSequence>(
        _ kind: String, topics: [String], present: @escaping @Sendable () -> Data?,
        tokens: @Sendable () -> Tokens
    ) async
    where
        Tokens.Element == Data, Tokens: SendableMetatype, Tokens.AsyncIterator: SendableMetatype
    {
        if Task.isCancelled { return }
        let source = StartTokenSource(topics: topics, present: present)
        startTokenSources[kind] = source
        // Another one may have taken its place.
        defer { if startTokenSources[kind]?.name == source.name { startTokenSources[kind] = nil } }
        if let first = present() {
            canStart(kind, with: Secret(pushToken: first), topics: topics)
        }
        // Such a sequence ends and does not fail.
        do {
            for try await token in tokens() {
                if Task.isCancelled { return }
                canStart(kind, with: Secret(pushToken: token), topics: topics)
            }
        } catch {}
    }

    func shows(_ kind: String, _ shown: ShownKind) { shownKinds[kind] = shown }

    /// ActivityKit may fill its lists after the launch. A card that it has by now is followed, and
    /// was not gone.
    func lookForCards() {
        for kind in shownKinds.values { kind.follow() }
        areThere(shownKinds.values.reduce(into: []) { $0.formUnion($1.names()) })
    }

    /// Hands over what has come and no sequence has said.
    func lookForStartTokens() {
        for (kind, source) in startTokenSources {
            guard let token = source.present().map(Secret.init(pushToken:)),
                !keep.startTokens.contains(where: {
                    $0.token.kind == kind && $0.token.token == token
                })
            else { continue }
            canStart(kind, with: token, topics: source.topics)
        }
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

/// Where the push-to-start tokens of one kind come from.
struct StartTokenSource: Sendable {
    let name = UUID()
    let topics: [String]
    let present: @Sendable () -> Data?
}

/// What ActivityKit shows of one kind.
struct ShownKind: Sendable {
    var names: @Sendable () -> Set<String>
    /// Ends those of these names at once.
    var end: @Sendable (_ names: Set<String>) async -> Void
    /// Follows those that are not followed yet.
    var follow: @Sendable () -> Void
}
