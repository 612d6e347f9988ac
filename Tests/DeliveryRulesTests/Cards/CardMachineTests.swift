import DeliveryRules
import Domain
import Testing

private func token(_ digit: Character) -> PushToken {
    guard let token = PushToken(hex: String(repeating: digit, count: 64)) else {
        preconditionFailure("not hexadecimal")
    }
    return token
}

private func wish(_ installation: String? = nil) -> CardRequest {
    .register(
        CardWish(
            token: token("a"), environment: .sandbox, bundleID: "com.example",
            installation: installation))
}

private let rotation = CardRequest.rotate(from: token("b"), to: token("a"))

private func report(_ state: CardReport) -> CardRequest { .report(.token(token("a")), state) }

private let removal = CardRequest.remove(token("a"))

private let listening = CardRequest.listen(
    installation: "one", with: AppInEnvironment(bundleID: "com.example", environment: .sandbox))

private func told(_ state: CardReport) -> CardRequest { .report(.installation("one"), state) }

/// With what it takes to remember a card that nobody has heard of.
private let swiped = CardRequest.report(
    .installation("one", bundleID: "com.example"), .dismissed)

private let requests: [CardRequest] =
    [wish(), wish("one"), wish("two"), rotation, removal, listening, swiped]
    + CardReport.allCases.map(report) + CardReport.allCases.map(told)

/// Every state that differs to the rules.
private let states: [CardState?] = plainStates + markedStates

private let markedStates: [CardState?] = [
    CardState(tokenVersion: 3, closing: .replaced, hasSuccessor: true),
    CardState(tokenVersion: 3, installation: "one", closing: .replaced, hasSuccessor: true),
]

private let plainStates: [CardState?] =
    [nil]
    + [nil, "one", "two"].flatMap { installation in
        ([nil] + Closing.allCases.map(Optional.some)).map { closing in
            CardState(tokenVersion: 3, installation: installation, closing: closing)
        }
    }

/// Each request with each state of the one or two cards that it can be about.
private let cases: [(request: CardRequest, cards: Cards)] = requests.flatMap { request in
    states.flatMap { named in
        formers(request).flatMap { former in
            listeners(request).map { (request, Cards(named: named, former: former, listener: $0)) }
        }
    }
}

/// The store looks for the same installation's; one that moved or was taken back does not exist.
private func listeners(_ request: CardRequest) -> [CardState?] {
    switch request {
    case .rotate, .remove, .report(.token, _): [nil]
    case .register, .report(.installation, _), .listen:
        [nil]
            + [nil, .dismissed, .ended, .replaced].map {
                CardState(installation: "one", closing: $0)
            }
    }
}

private func formers(_ request: CardRequest) -> [CardState?] {
    switch request {
    case .rotate: states
    case .register(let wish):
        // The store looks for the same installation's card: served or dismissed.
        states.filter { former in
            guard let former else { return true }
            return wish.installation != nil && former.installation == wish.installation
                && (former.closing == nil || former.closing == .dismissed)
        }
    case .report, .remove, .listen: [nil]
    }
}

private func after(_ change: CardChange, _ cards: Cards) -> Cards {
    Cards(
        named: change.named ?? cards.named, former: change.former ?? cards.former,
        listener: change.listener ?? cards.listener)
}

struct `A card` {
    @Test func `is served as one of at most two after whatever was asked`() {
        #expect(cases.count > 400)
        for (request, cards) in cases {
            let change = CardMachine.handle(request, cards)
            let later = after(change, cards)
            if change.owesNewest {
                #expect(later.named?.closing == .some(nil), "\(request) \(cards)")
                let formerIsServed = later.former.map { $0.closing == nil } ?? false
                #expect(!formerIsServed, "\(request) \(cards)")
                #expect(later.named?.tokenVersion ?? 0 > cards.named?.tokenVersion ?? 0)
            } else {
                let isServedAnew = later.named?.closing == .some(nil) && cards.named?.closing != nil
                #expect(!isServedAnew, "\(request) \(cards)")
            }
        }
    }

    @Test func `that was dismissed stays so, whatever is asked`() {
        for (request, cards) in cases {
            let change = CardMachine.handle(request, cards)
            let later = after(change, cards)
            if cards.named?.closing == .dismissed { #expect(later.named?.closing == .dismissed) }
            if cards.former?.closing == .dismissed {
                #expect(later.former?.closing == .dismissed)
                if case .register = request { #expect(!change.owesNewest, "\(cards)") }
            }
            if cards.listener?.closing == .dismissed {
                #expect(later.listener?.closing == .dismissed)
                if case .register = request { #expect(!change.owesNewest, "\(cards)") }
                #expect(change.answer != .listening, "\(request) \(cards)")
            }
        }
    }

    @Test func `is changed by a repeated request no more than by the first`() {
        for (request, cards) in cases {
            let change = CardMachine.handle(request, cards)
            let later = after(change, cards)
            let again = CardMachine.handle(request, later)
            let latest = after(again, later)
            #expect(latest.named?.closing == later.named?.closing, "\(request) \(cards)")
            #expect(latest.former == later.former, "\(request) \(cards)")
            #expect(latest.listener?.closing == later.listener?.closing, "\(request) \(cards)")
            if change.answer == .rotated { #expect(again.answer == .alreadyRotated) }
            if case .closed = change.answer { #expect(!again.owesNewest) }
        }
    }

    @Test func `that nobody registered is remembered if it was swiped away`() {
        let change = CardMachine.handle(swiped, Cards())
        let gone = CardState(installation: "one", closing: .dismissed)
        #expect(change == CardChange(.noted, listener: gone))
        #expect(CardMachine.handle(listening, Cards(listener: gone)).answer == .closed(.dismissed))
        #expect(
            CardMachine.handle(wish("one"), Cards(listener: gone)).answer == .closed(.dismissed))
        for state in [CardReport.active, .stale, .ended] {
            let other = CardRequest.report(.installation("one", bundleID: "com.example"), state)
            #expect(CardMachine.handle(other, Cards()) == CardChange(.unknown))
        }
    }

    @Test func `that nobody registered is remembered although an earlier one has ended`() {
        let gone = CardState(installation: "one", closing: .dismissed)
        for closing in [Closing.ended, .replaced] {
            let earlier = CardState(installation: "one", closing: closing)
            for cards in [
                Cards(named: earlier), Cards(listener: earlier),
                Cards(named: earlier, listener: CardState(installation: "one", closing: .ended)),
            ] {
                let change = CardMachine.handle(swiped, cards)
                #expect(change == CardChange(.noted, listener: gone), "\(cards)")
                let later = after(change, cards)
                #expect(CardMachine.handle(listening, later).answer == .closed(.dismissed))
                // Under a token of its own.
                let fresh = CardMachine.handle(wish("one"), Cards(listener: later.listener))
                #expect(fresh.answer == .closed(.dismissed))
            }
        }
        // Without the app's name it is of the card that has ended.
        let ended = Cards(named: CardState(installation: "one", closing: .ended))
        #expect(CardMachine.handle(told(.dismissed), ended).listener == nil)
        // One that is served is the one that was swiped away.
        let served = Cards(
            named: CardState(installation: "one"),
            listener: CardState(installation: "one", closing: .ended))
        let change = CardMachine.handle(swiped, served)
        #expect(change.named?.closing == .dismissed)
        #expect(change.listener == nil)
    }

    @Test func `that nobody registered is unknown but to those who need none`() {
        for request in requests where request != swiped {
            let change = CardMachine.handle(request, Cards())
            switch request {
            case .register: #expect(change.answer == .registered)
            case .listen:
                let listener = CardState(installation: "one")
                #expect(change == CardChange(.listening, listener: listener))
            case .rotate, .report, .remove: #expect(change == CardChange(.unknown))
            }
        }
    }

    @Test func `whose phone listens to the channel is served no more, until it registers again`() {
        let one = CardState(tokenVersion: 2, installation: "one")
        let change = CardMachine.handle(listening, Cards(named: one))
        #expect(change.answer == .listening)
        #expect(change.named?.closing == .broadcast)
        let back = CardMachine.handle(wish("one"), Cards(named: change.named))
        #expect(back.answer == .registered)
        #expect(back.owesNewest)
        #expect(back.named?.closing == .some(nil))
    }

    @Test func `that was dismissed is not brought back by a channel`() {
        let gone = CardState(installation: "one", closing: .dismissed)
        #expect(
            CardMachine.handle(listening, Cards(named: gone)) == CardChange(.closed(.dismissed)))
        let listened = CardState(installation: "one", closing: .broadcast)
        let swiped = CardMachine.handle(report(.dismissed), Cards(named: listened))
        #expect(swiped.named?.closing == .dismissed)
        let late = CardMachine.handle(report(.active), Cards(named: listened))
        #expect(late == CardChange(.closed(.broadcast)))
    }

    @Test func `that listens is known by what its phone tells of it`() {
        let heard = Cards(listener: CardState(installation: "one"))
        #expect(CardMachine.handle(told(.active), heard).answer == .noted)
        let swiped = after(CardMachine.handle(told(.dismissed), heard), heard)
        #expect(swiped.listener?.closing == .dismissed)
        #expect(CardMachine.handle(listening, swiped) == CardChange(.closed(.dismissed)))
        let late = CardMachine.handle(wish("one"), swiped)
        #expect(late.answer == .closed(.dismissed))
        #expect(late.named?.closing == .dismissed)
        #expect(CardMachine.handle(told(.stale), swiped) == CardChange(.closed(.dismissed)))
        let over = after(CardMachine.handle(told(.ended), heard), heard)
        #expect(CardMachine.handle(listening, over).answer == .listening)
    }

    @Test func `is one that listens or one with a token, whichever came last`() {
        var cards = Cards(listener: CardState(installation: "one"))
        cards = after(CardMachine.handle(wish("one"), cards), cards)
        #expect(cards.listener?.closing == .replaced)
        #expect(cards.named.map { $0.closing == nil } == true)
        cards = after(CardMachine.handle(listening, cards), cards)
        #expect(cards.listener.map { $0.closing == nil } == true)
        #expect(cards.named?.closing == .broadcast)
        // Only the one that came last is swiped away.
        let swiped = after(CardMachine.handle(told(.ended), cards), cards)
        #expect(swiped.listener?.closing == .ended)
        #expect(swiped.named?.closing == .broadcast)
        let both = Cards(
            named: CardState(installation: "one"), listener: CardState(installation: "one"))
        let gone = after(CardMachine.handle(told(.dismissed), both), both)
        #expect(gone.named?.closing == .dismissed)
        #expect(gone.listener?.closing == .dismissed)
    }

    @Test func `is replaced by the same installation's new token`() {
        let old = CardState(tokenVersion: 4, installation: "one")
        let change = CardMachine.handle(wish("one"), Cards(former: old))
        #expect(change.answer == .registered)
        #expect(change.former?.closing == .replaced)
        #expect(change.named == CardState(tokenVersion: 5, installation: "one"))
    }

    @Test(arguments: [Closing.replaced, .removed, .broadcast])
    func `does not come back by a late registration of a token that has rotated`(
        closing: Closing
    ) {
        let old = CardState(installation: "one", closing: closing, hasSuccessor: true)
        for former in [nil, CardState(installation: "one")] {
            let change = CardMachine.handle(wish("one"), Cards(named: old, former: former))
            #expect(change == CardChange(.closed(.replaced)))
        }
    }

    @Test func `has the token of the newest registration when no rotation was reported`() {
        let other = CardState(installation: "one", closing: .replaced)
        let change = CardMachine.handle(
            wish("one"), Cards(named: other, former: CardState(installation: "one")))
        #expect(change.owesNewest)
        #expect(change.former == CardState(installation: "one", closing: .replaced))
    }

    @Test func `rotates to a token whose place the late registration of the old one took`() {
        let newer = CardState(tokenVersion: 1, installation: "one", closing: .replaced)
        let older = CardState(tokenVersion: 2, installation: "one")
        let change = CardMachine.handle(rotation, Cards(named: newer, former: older))
        #expect(change.answer == .rotated)
        #expect(change.named == CardState(tokenVersion: 2, installation: "one"))
        #expect(change.former?.hasSuccessor == true)
        var past = newer
        past.hasSuccessor = true
        #expect(
            CardMachine.handle(rotation, Cards(named: past, former: older)).answer == .conflict)
    }

    @Test(arguments: [Closing.removed, .broadcast])
    func `that is closed rotates to a token whose place it took, and may register again`(
        closing: Closing
    ) {
        let older = CardState(tokenVersion: 2, installation: "one", closing: closing)
        let newer = CardState(tokenVersion: 1, installation: "one", closing: .replaced)
        let change = CardMachine.handle(rotation, Cards(named: newer, former: older))
        #expect(change.answer == .closed(closing))
        #expect(change.named?.closing == closing)
        #expect(change.former?.hasSuccessor == true)
        let again = CardMachine.handle(wish("one"), Cards(named: change.named))
        #expect(again.answer == .registered)
    }

    @Test func `is not changed by a rotation from a token that nobody has heard of`() {
        let newer = CardState(installation: "one")
        #expect(CardMachine.handle(rotation, Cards(named: newer)) == CardChange(.alreadyRotated))
    }

    @Test(arguments: [CardReport.ended, .dismissed])
    func `that is over does not come back, and says nothing of the one in its place`(
        state: CardReport
    ) {
        let replaced = CardState(installation: "one", closing: .replaced)
        let change = CardMachine.handle(report(state), Cards(named: replaced))
        #expect(change.answer == .noted)
        let late = CardMachine.handle(
            wish("one"), Cards(named: change.named, former: CardState(installation: "one")))
        #expect(late == CardChange(.closed(.ended)))
    }

    @Test func `keeps its installation when its token rotates`() {
        let old = CardState(tokenVersion: 2, installation: "one")
        let change = CardMachine.handle(rotation, Cards(former: old))
        #expect(change.answer == .rotated)
        #expect(change.named?.installation == "one")
        #expect(change.former?.closing == .replaced)
    }

    @Test func `rotates only from the token that counts`() {
        let gone = CardState(closing: .replaced)
        #expect(CardMachine.handle(rotation, Cards(former: gone)).answer == .conflict)
        let others = Cards(
            named: CardState(installation: "two"), former: CardState(installation: "one"))
        #expect(CardMachine.handle(rotation, others) == CardChange(.conflict))
    }

    @Test func `that was dismissed under its old token stays so under the new one`() {
        let old = CardState(installation: "one", closing: .dismissed)
        let change = CardMachine.handle(rotation, Cards(former: old))
        #expect(change.answer == .closed(.dismissed))
        #expect(change.named?.closing == .dismissed)
    }

    @Test func `that ended may be followed by another one, under a new token only`() {
        let ended = CardState(installation: "one", closing: .ended)
        #expect(CardMachine.handle(wish("one"), Cards(named: ended)) == CardChange(.closed(.ended)))
        let swiped = CardMachine.handle(report(.dismissed), Cards(named: ended))
        #expect(swiped.answer == .noted)
        #expect(swiped.named?.closing == .ended)
    }

    @Test func `is still served when it is stale`() {
        let change = CardMachine.handle(report(.stale), Cards(named: CardState()))
        #expect(change.answer == .noted)
        #expect(change.named?.closing == .some(nil))
        #expect(change.named?.reported == .stale)
    }

    @Test func `that was removed may register again`() {
        let removed = CardMachine.handle(removal, Cards(named: CardState()))
        #expect(removed.answer == .removed)
        let again = CardMachine.handle(wish(), Cards(named: removed.named))
        #expect(again.answer == .registered)
        #expect(again.named?.closing == .some(nil))
    }
}

@Test func `a phone that has had as many tokens as one may keeps what it has`() {
    let full = DeliveryRules.Limits.phoneTokensMax
    let served = CardState(installation: "one")
    for request in [wish("one"), rotation] {
        let former = Cards(former: served, tokens: full)
        #expect(CardMachine.handle(request, former) == CardChange(.tooMany))
        let room = Cards(former: served, tokens: full - 1)
        #expect(CardMachine.handle(request, room).answer != .tooMany)
    }
    let known = Cards(named: served, tokens: full)
    #expect(CardMachine.handle(wish("one"), known).answer == .known)
    let gone = CardState(installation: "one", closing: .replaced)
    let late = Cards(named: served, former: gone, tokens: full)
    #expect(CardMachine.handle(rotation, late).answer == .alreadyRotated)
    #expect(CardMachine.handle(report(.dismissed), known).answer == .noted)
    #expect(CardMachine.handle(removal, known).answer == .removed)
}
