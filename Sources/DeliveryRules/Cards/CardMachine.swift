public import Domain

/// The rules of a card's life: what a request makes of what is known. Total: any request meets any
/// state, because requests come late, twice and in any order.
public enum CardMachine {
    /// What a request changes about the cards that it concerns.
    public static func handle(_ request: CardRequest, _ cards: Cards) -> CardChange {
        switch request {
        case .register(let wish): register(wish.installation, cards)
        case .rotate: rotate(cards)
        case .report(let name, let report): note(report, of: name, cards)
        case .remove: remove(cards.named)
        case .listen(let installation, _): listen(installation, cards)
        }
    }

    /// What is remembered of a phone that asks how to start a card; changes nothing.
    public static func recall(_ request: CardRequest, _ cards: Cards) -> CardChange {
        CardChange(hasDismissed(cards) ? .closed(.dismissed) : .unknown)
    }

    private static func hasDismissed(_ cards: Cards) -> Bool {
        cards.listener?.closing == .dismissed || cards.named?.closing == .dismissed
    }

    private static func register(_ installation: String?, _ cards: Cards) -> CardChange {
        let isKnown: Bool
        switch cards.named?.closing {
        case .dismissed: return CardChange(.closed(.dismissed))
        case .ended: return CardChange(.closed(.ended))
        case .replaced, .removed, .broadcast:
            // A late request: the phone is known to have had another token since.
            if isPast(cards, askedBy: installation) { return CardChange(.closed(.replaced)) }
            // Requests may have overtaken each other. The newest counts.
            isKnown = false
        case nil: isKnown = cards.named != nil
        }
        if hasTooMany(cards) { return CardChange(.tooMany) }
        var card = opened(cards, installation: installation)
        if cards.former?.closing == .dismissed || cards.listener?.closing == .dismissed {
            // Remembered of this token, too: it may come again without its installation.
            card.closing = .dismissed
            return CardChange(.closed(.dismissed), named: card)
        }
        return CardChange(
            isKnown ? .known : .registered, named: card, former: replaced(cards.former),
            listener: cards.listener?.closed(.replaced))
    }

    /// The named token, which is closed, is none that the phone has now: a newer one is known, or
    /// it was replaced, and the phone gave up what took its place. If that has ended, it may have
    /// been an earlier card, whose registration came late.
    private static func isPast(_ cards: Cards, askedBy installation: String?) -> Bool {
        guard let card = cards.named else { return false }
        if card.hasSuccessor { return true }
        // The other cards are those of the installation that asks.
        guard card.closing == .replaced, cards.former == nil,
            installation == nil || installation.hasBytes(of: card.installation)
        else { return false }
        switch cards.lastClosing {
        case .removed, .broadcast: return true
        case .dismissed, .ended, .replaced, nil: return false
        }
    }

    private static func rotate(_ cards: Cards) -> CardChange {
        guard let from = cards.former else {
            return CardChange(cards.named.map(answer(rotatedTo:)) ?? .unknown)
        }
        guard isOnePhone(from, cards.named) else { return CardChange(.conflict) }
        guard let closing = from.closing else { return rotate(open: from, cards) }
        // The phone says that the old token is past, whatever closed it.
        let isOver = closing == .dismissed || closing == .ended
        let past = from.hasSuccessor ? nil : isOver ? from.succeeded(as: closing) : from.succeeded
        switch closing {
        case .replaced:
            guard let to = cards.named, to.closing != .replaced else {
                return CardChange(.conflict, former: past)
            }
            return CardChange(answer(rotatedTo: to), former: past)
        case .removed, .broadcast:
            if let to = cards.named, !to.mayComeBack {
                return CardChange(answer(rotatedTo: to), former: past)
            }
            return CardChange(.closed(closing), named: closed(closing, cards), former: past)
        case .dismissed, .ended:
            if let to = cards.named, let known = to.closing, !to.mayComeBack {
                return CardChange(.closed(known), former: past)
            }
            return CardChange(.closed(closing), named: closed(closing, cards), former: past)
        }
    }

    private static func rotate(open from: CardState, _ cards: Cards) -> CardChange {
        switch cards.named?.closing {
        case nil:
            if hasTooMany(cards) { return CardChange(.tooMany) }
        case .replaced:
            // Its place was taken by the old token, whose registration came late.
            guard let to = cards.named, to.mayComeBack,
                to.installation != nil, to.installation.hasBytes(of: from.installation)
            else { return CardChange(.conflict) }
        // The two are one card, and the newer token's row says how it ended.
        case .dismissed:
            return CardChange(.closed(.dismissed), former: from.succeeded(as: .dismissed))
        case .ended: return CardChange(.closed(.ended), former: from.succeeded(as: .ended))
        case .removed: return CardChange(.closed(.removed), former: from.succeeded)
        case .broadcast: return CardChange(.closed(.broadcast), former: from.succeeded)
        }
        return CardChange(
            .rotated, named: opened(cards, installation: nil), former: from.succeeded)
    }

    private static func answer(rotatedTo card: CardState) -> CardChange.Answer {
        card.closing.map { .closed($0) } ?? .alreadyRotated
    }

    /// Of a card that nobody has heard of it matters only that it was swiped away, before its app
    /// could register it: no other one is to appear in its place. A report with the app's name is
    /// of such a card if none is served that it could be of: one that has ended was another one.
    private static func note(
        _ report: CardReport, of name: CardName, _ cards: Cards
    ) -> CardChange {
        if case .token = name, let change = note(report, replaced: cards.named) { return change }
        let change = note(report, cards)
        let isRemembered = hasDismissed(
            Cards(
                named: change.named ?? cards.named, listener: change.listener ?? cards.listener))
        guard !isRemembered, report == .dismissed,
            case .installation(let installation, bundleID: .some) = name
        else { return change }
        return CardChange(
            .noted, listener: CardState(installation: installation, closing: .dismissed))
    }

    /// A late registration must not bring back a card that is over. It may have been another one
    /// than the card that is served, and says nothing of that.
    private static func note(_ report: CardReport, replaced card: CardState?) -> CardChange? {
        guard let card, card.mayComeBack, report == .ended || report == .dismissed else {
            return nil
        }
        var over = card.closed(.ended)
        over.reported = report
        return CardChange(.noted, named: over)
    }

    /// Of the two cards that an installation can have it is about the one that came last; about
    /// both when nobody knows which that is.
    private static func note(_ report: CardReport, _ cards: Cards) -> CardChange {
        let named = note(report, on: cards.named)
        guard let listener = cards.listener, listener.closing != .replaced,
            cards.named?.closing != .dismissed
        else { return named }
        let isServed = cards.named.map { $0.closing == nil } ?? false
        if isServed, listener.closing != nil { return named }
        let heard = note(report, on: listener)
        return CardChange(
            heard.answer, named: isServed ? named.named : nil, listener: heard.named)
    }

    private static func note(_ report: CardReport, on card: CardState?) -> CardChange {
        guard var card else { return CardChange(.unknown) }
        switch (card.closing, report) {
        case (nil, .active), (nil, .stale): break
        case (nil, .ended), (.removed, .ended), (.broadcast, .ended): card = card.closed(.ended)
        case (nil, .dismissed), (.removed, .dismissed), (.broadcast, .dismissed):
            card = card.closed(.dismissed)
        // An ended card is dismissed sooner or later, which says nothing about the next one.
        case (.ended, .dismissed), (.ended, .ended), (.dismissed, .dismissed): break
        case (.dismissed, .active), (.dismissed, .stale), (.dismissed, .ended):
            return CardChange(.closed(.dismissed))
        case (.ended, .active), (.ended, .stale): return CardChange(.closed(.ended))
        case (.removed, .active), (.removed, .stale): return CardChange(.closed(.removed))
        case (.broadcast, .active), (.broadcast, .stale): return CardChange(.closed(.broadcast))
        case (.replaced, .active), (.replaced, .stale), (.replaced, .ended),
            (.replaced, .dismissed):
            return CardChange(.closed(.replaced))
        }
        card.reported = report
        return CardChange(.noted, named: card)
    }

    private static func remove(_ card: CardState?) -> CardChange {
        guard let card else { return CardChange(.unknown) }
        guard let closing = card.closing else {
            return CardChange(.removed, named: card.closed(.removed))
        }
        return CardChange(closing == .removed ? .removed : .closed(closing))
    }

    private static func listen(_ installation: String, _ cards: Cards) -> CardChange {
        if hasDismissed(cards) { return CardChange(.closed(.dismissed)) }
        let listener = CardState(installation: installation)
        switch cards.named?.closing {
        // The card that ended was another one.
        case .dismissed, .ended, .replaced, .broadcast:
            return CardChange(.listening, listener: listener)
        case nil, .removed:
            return CardChange(
                .listening, named: cards.named?.closed(.broadcast), listener: listener)
        }
    }

    /// There is no room for one more.
    private static func hasTooMany(_ cards: Cards) -> Bool {
        cards.named == nil && cards.tokens >= Limits.phoneTokensMax
    }

    /// The named card as one that is served.
    private static func opened(_ cards: Cards, installation: String?) -> CardState {
        let before = cards.named ?? cards.former
        return CardState(
            tokenVersion: (before?.tokenVersion ?? 0) + 1,
            installation: installation ?? cards.named?.installation ?? cards.former?.installation)
    }

    private static func closed(_ closing: Closing, _ cards: Cards) -> CardState {
        opened(cards, installation: nil).closed(closing)
    }

    /// Nil when there is nothing to replace.
    private static func replaced(_ card: CardState?) -> CardState? {
        card.flatMap { $0.closing == nil ? $0.closed(.replaced) : nil }
    }

    private static func isOnePhone(_ one: CardState, _ other: CardState?) -> Bool {
        guard let mine = one.installation, let theirs = other?.installation else { return true }
        return mine == theirs
    }
}

extension CardState {
    fileprivate func closed(_ closing: Closing) -> CardState {
        var card = self
        card.closing = closing
        return card
    }

    /// As one that is past, and no late request brings back.
    fileprivate var succeeded: CardState { succeeded(as: .replaced) }

    fileprivate func succeeded(as closing: Closing) -> CardState {
        var card = closed(closing)
        card.hasSuccessor = true
        return card
    }

    /// Another registration of its phone has its place, and nobody knows which of them came last.
    fileprivate var mayComeBack: Bool { closing == .replaced && !hasSuccessor }
}
