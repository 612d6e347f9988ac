import DeliveryRules
import Domain
import TestSupport
import Testing

/// What a phone asks whose token becomes another one. It comes in any order, twice and late.
private enum Step: CaseIterable {
    case registerOld, rotate, registerNew, removeOld, endOld, removeNew, endNew, listen

    static let lasting: [Step] = [.registerOld, .rotate, .registerNew]
    /// After each the new token is not served any more.
    static let closing: [Step] = [.removeNew, .endNew, .listen]

    /// All sequences of up to `count` of some steps, each as often as it likes.
    static func sequences(of steps: [Step], upTo count: Int) -> [[Step]] {
        guard count > 0 else { return [[]] }
        let shorter = sequences(of: steps, upTo: count - 1)
        let longest = shorter.filter { $0.count == count - 1 }
        return shorter + longest.flatMap { sequence in steps.map { sequence + [$0] } }
    }
}

private struct Phone {
    static let old = token("a")
    static let new = token("b")

    var model = CardModel()
    /// Islet has heard of the old token.
    var knowsOld = false
    /// Islet has heard that the old token, which it knew, became the new one.
    var hasRotated = false
    /// Islet has noted that the old token's card is over.
    var hasEnded = false

    var servesOld: Bool { model.served.contains(Self.old) }
    var servesNew: Bool { model.served.contains(Self.new) }

    init(_ steps: [Step] = []) {
        for step in steps { take(step) }
    }

    private static func token(_ digit: Character) -> PushToken {
        guard let token = PushToken(hex: String(repeating: digit, count: 64)) else {
            preconditionFailure("not hexadecimal")
        }
        return token
    }

    static func wish(_ token: PushToken, _ installation: String? = "one") -> CardRequest {
        .register(
            CardWish(
                token: token, environment: .sandbox, bundleID: "com.example",
                installation: installation))
    }

    @discardableResult
    mutating func take(_ step: Step) -> CardChange.Answer {
        switch step {
        case .registerOld:
            knowsOld = true
            return ask(Self.wish(Self.old))
        case .registerNew: return ask(Self.wish(Self.new))
        case .rotate:
            if knowsOld { hasRotated = true }
            return ask(.rotate(from: Self.old, to: Self.new))
        case .removeOld: return ask(.remove(Self.old))
        case .removeNew: return ask(.remove(Self.new))
        case .endNew: return ask(.report(.token(Self.new), .ended))
        case .listen:
            return ask(
                .listen(
                    installation: "one",
                    with: AppInEnvironment(bundleID: "com.example", environment: .sandbox)))
        case .endOld:
            let answer = ask(.report(.token(Self.old), .ended))
            if answer == .noted { hasEnded = true }
            return answer
        }
    }

    mutating func ask(_ request: CardRequest) -> CardChange.Answer {
        model.change(request, CardMachine.handle).answer
    }

    /// After one more step.
    func after(_ step: Step) -> Phone {
        var phone = self
        phone.take(step)
        return phone
    }
}

struct `A card whose token rotates, whatever order requests come in` {
    @Test func `has one token at most`() {
        for steps in Step.sequences(of: Step.allCases, upTo: 4) {
            #expect(Phone(steps).model.served.count <= 1, "\(steps)")
        }
    }

    @Test func `is not served under the old token once the rotation was noted`() {
        for steps in Step.sequences(of: Step.allCases, upTo: 4) {
            let phone = Phone(steps)
            guard phone.hasRotated else { continue }
            #expect(!phone.servesOld, "\(steps)")
            #expect(!phone.after(.registerOld).servesOld, "\(steps)")
        }
    }

    @Test func `is served under the new token once the rotation was noted`() {
        for steps in Step.sequences(of: Step.lasting, upTo: 5) {
            let phone = Phone(steps)
            if phone.hasRotated { #expect(phone.servesNew, "\(steps)") }
        }
    }

    @Test func `is served under the new token as soon as that is registered again`() {
        for steps in Step.sequences(of: Step.lasting, upTo: 5) {
            #expect(Phone(steps).after(.registerNew).servesNew, "\(steps)")
        }
        // Also if the app has taken the old one back, once it has said that it has rotated.
        for steps in Step.sequences(of: Step.lasting + [.removeOld], upTo: 5) {
            let phone = Phone(steps)
            if phone.hasRotated { #expect(phone.after(.registerNew).servesNew, "\(steps)") }
        }
    }

    @Test func `that is over under the new token is not served under the old one`() {
        for steps in Step.sequences(of: Step.lasting, upTo: 4) {
            let phone = Phone(steps)
            guard phone.knowsOld, phone.servesNew else { continue }
            for step in Step.closing {
                let closed = phone.after(step)
                #expect(closed.model.served.isEmpty, "\(steps) \(step)")
                // One that has ended may have been an earlier card, as long as no rotation was
                // noted.
                let mayComeBack = step == .endNew && !phone.hasRotated
                #expect(
                    closed.after(.registerOld).servesOld == mayComeBack, "\(steps) \(step)")
                let rotated = closed.after(.rotate)
                #expect(!rotated.after(.registerOld).servesOld, "\(steps) \(step)")
            }
        }
    }

    @Test func `is served again when an earlier card that took its place late has ended`() {
        // The old token is the earlier card's, and the new one a fresh card's.
        var phone = Phone([.registerOld, .registerNew, .registerOld, .endOld])
        #expect(phone.model.served.isEmpty)
        let answer = phone.take(.registerNew)
        #expect(answer == .registered)
        #expect(phone.servesNew)
        let late = phone.take(.registerOld)
        #expect(late == .closed(.ended))
        #expect(phone.servesNew)
    }

    @Test func `is past when the phone gave up what took its place`() {
        for step in [Step.removeNew, .listen] {
            for installation in [nil, "one"] {
                var phone = Phone([.registerOld, .registerNew, step])
                let late = phone.ask(Phone.wish(Phone.old, installation))
                #expect(late == .closed(.replaced), "\(step)")
            }
        }
    }

    @Test(arguments: [Closing.removed, .broadcast])
    func `registers under another installation, whatever became of that one's cards`(
        closing: Closing
    ) {
        let replaced = CardState(installation: "one", closing: .replaced)
        let cards = Cards(named: replaced, lastClosing: closing)
        let change = CardMachine.handle(Phone.wish(Phone.old, "two"), cards)
        #expect(change.answer == .registered)
        #expect(change.named?.installation == "two")
    }

    @Test func `comes back under no token that was reported to be over`() {
        for steps in Step.sequences(of: Step.allCases, upTo: 4) {
            let phone = Phone(steps)
            guard phone.hasEnded else { continue }
            #expect(!phone.servesOld, "\(steps)")
            #expect(!phone.after(.registerOld).servesOld, "\(steps)")
        }
    }

    @Test func `gets the answer that the old token is replaced whenever it registers late`() {
        var phone = Phone([.registerNew, .registerOld])
        // Nobody can know which came last, and the newest request counts.
        #expect(phone.servesOld)
        let rotated = phone.take(.rotate)
        #expect(rotated == .rotated)
        #expect(phone.servesNew)
        var late = phone.take(.registerOld)
        #expect(late == .closed(.replaced))
        // Also if the app had taken the old one back before it rotated.
        phone = Phone([.registerOld, .removeOld, .rotate, .registerNew])
        #expect(phone.servesNew)
        late = phone.take(.registerOld)
        #expect(late == .closed(.replaced))
        #expect(phone.servesNew)
    }
}
