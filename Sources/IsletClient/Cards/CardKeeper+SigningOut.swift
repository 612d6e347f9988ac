import Foundation

extension CardKeeper {
    /// The person signs out: nothing of theirs is to appear on this phone any more. Ends the cards
    /// of all kinds that `followCards` follows, closes them at Islet, and has the backend remove
    /// the push-to-start tokens of every kind. The phone goes by another name at once, and what the
    /// keeper gets from then on is the next person's.
    ///
    /// Call it while the backend still takes requests of the person's. An app without `followCards`
    /// ends its cards itself, before. A card that it starts afterwards counts as the next person's:
    /// see before each start that the person who asked for it is still there.
    /// - Parameter bound: how long it waits for the network at most.
    /// - Returns: false when something is still to be reported, which is remembered and tried
    ///   again, or was refused for good. What was kept may be unreadable, as before the phone's
    ///   first unlocking: then it is reported as soon as it can be read, unless the app ends before
    ///   that.
    @discardableResult
    public func signOut(within bound: Duration = .seconds(10)) async -> Bool {
        // What was kept before is the person's as well.
        do { try readEarlier() } catch { hasLeft = true }
        // Those that are missing since the launch need not be waited for.
        for card in keep.cards where card.isGone == true { backoffs[.card(id: card.id)] = nil }
        let shown = shownKinds.values.map { (kind: $0, names: Set($0.names())) }
        for kind in shown { left.formUnion(kind.names) }
        left.formUnion(keep.cards.map(\.id))
        keep.passOn(at: timing.now(), profile)
        signOuts += 1
        // What comes from them is not the next person's.
        startTokenSources = [:]
        let refusals = leftRefusals
        refusedTokens = []
        changed()
        for (kind, names) in shown { await kind.end(names) }
        let telling = Task { await self.tellLeft() }
        let timer = Task { [timing] in
            try? await timing.sleep(bound)
            telling.cancel()
        }
        await telling.value
        timer.cancel()
        return !owesLeft && leftRefusals == refusals
    }

    private func tellLeft() async {
        await settle()
        guard isAskingForLeft else { return }
        while isAskingForLeft, !Task.isCancelled { await untilSettled() }
        // What came of the answer.
        await settle()
    }

    /// A channel is being asked for by a name that the phone has no more. The answer is taken back.
    private var isAskingForLeft: Bool {
        asking.contains { $0.value > 0 && $0.key != keep.installation }
    }

    /// Something of a person who has signed out is still to be reported.
    private var owesLeft: Bool {
        if hasLeft || isAskingForLeft { return true }
        if takeStartToken != nil, !keep.leftTokens.isEmpty { return true }
        return keep.cards.contains { $0.installation != nil && keep.next($0, profile) != nil }
    }

    /// By a name that the phone has no more, Islet may have noted that it listens.
    func takeBack(_ activity: String, _ installation: String) {
        guard installation != keep.installation else { return }
        keep.end(listening: activity, installation, at: timing.now())
    }

    /// What was kept is of a person who has signed out since.
    func leave(_ earlier: Keep) {
        left.formUnion(earlier.cards.map(\.id))
        // ActivityKit's last word on them, which came after the sign-out.
        keep.cards.removeAll { $0.installation == nil && left.contains($0.id) }
        var earlier = earlier
        earlier.passOn(at: timing.now(), profile)
        keep.takeOver(leftOf: earlier)
    }
}

extension Keep {
    /// The person leaves the phone, and the next one goes by another name. What is still to be
    /// reported goes by the old name.
    fileprivate mutating func passOn(at now: Date, _ profile: AppProfile) {
        for index in cards.indices where cards[index].installation == nil {
            // All is tried once more, and nothing is started any more in place of another.
            (cards[index].refusals, cards[index].isReplaced) = (nil, nil)
            cards[index].mayListen = nil
            cards[index].installation = installation
            guard !cards[index].state.isOver else { continue }
            (cards[index].state, cards[index].isGone) = (.ended, nil)
            cards[index].changedAt = now
        }
        // Also those that wait for what Islet says of a newer one.
        cards = cards.filter { $0.next(profile) != nil }
        let open = startTokens.filter { !$0.isHandedOver || !$0.token.topics.isEmpty }
        let left = leftTokens + open.map(\.token.withoutTopics)
        leftTokens = Array(left.suffix(Limits.startTokensMax))
        startTokens = []
        installation = UUID().uuidString.lowercased()
    }

    /// As if there had been a card, which ended. Islet may have noted it once more since the last
    /// report.
    fileprivate mutating func end(
        listening activity: String, _ installation: String, at now: Date
    ) {
        _ = change(card: "\(activity) \(installation)", of: activity, at: now) {
            $0.forgetRegistration()
            ($0.state, $0.reported, $0.installation) = (.ended, .active, installation)
        }
    }

    /// Takes over what a person left who signed out before it could be read.
    fileprivate mutating func takeOver(leftOf earlier: Keep) {
        takeOver(earlier.cards)
        leftTokens = Array((earlier.leftTokens + leftTokens).suffix(Limits.startTokensMax))
    }
}

extension StartToken {
    fileprivate var withoutTopics: StartToken {
        StartToken(
            installation: installation, kind: kind, token: token, topics: [], profile: profile)
    }
}
