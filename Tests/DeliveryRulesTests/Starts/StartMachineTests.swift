import APNs
import DeliveryRules
import Domain
import Foundation
import Projections
import TestSupport
import Testing

private let now = Moment(unixSeconds: 10_000)

private func due(
    _ start: CardStart, isWanted: Bool = true, hasCard: Bool = false, refusal: String? = nil,
    hold: StartMachine.Hold? = nil, at moment: Moment = now
) -> CardStart? {
    var budget = StartBudget()
    return StartMachine.next(
        start, isWanted: isWanted, hasCard: hasCard, refusal: refusal, hold: hold,
        budget: &budget, at: moment, under: .builtIn)
}

private func answered(
    _ answer: PushResult, attempts: Int = 1, putAt: Moment = now, at moment: Moment = now
) -> StartMachine.AnsweredStart {
    StartMachine.answered(
        CardStart(state: .trying, attempts: attempts, firstTriedAt: now, dueAt: now), answer,
        tokenPutAt: putAt, at: moment)
}

private func refused(_ status: Int, _ reason: Reason.Known, since: Int64? = nil) -> PushResult {
    .answered(
        PushResponse(status: status, reason: .known(reason), timestampMilliseconds: since))
}

struct `A start` {
    @Test func `is tried once it is written down, and only then has an answer`() throws {
        let trying = try #require(due(CardStart()))
        #expect(trying.state == .trying)
        #expect(trying.attempts == 1)
        let accepted = StartMachine.answered(
            trying, .answered(PushResponse(status: 200)), tokenPutAt: now, at: now)
        #expect(accepted.start.state == .started)
        #expect(accepted.start.dueAt == nil)
        for state in StartState.allCases where state != .trying {
            let start = CardStart(state: state)
            let answered = StartMachine.answered(
                start, .answered(PushResponse(status: 200)), tokenPutAt: now, at: now)
            #expect(answered.start == start)
        }
    }

    @Test func `without an answer is unknown for good`() {
        let lost = answered(.notAnswered(reason: "deadline", mayHaveBeenDelivered: true)).start
        #expect(lost.state == .unknown)
        #expect(due(lost, at: now.adding(seconds: 1e6)) == lost)
    }

    @Test func `that surely never left is tried again`() {
        let unreachable = answered(.notAnswered(reason: "refused", mayHaveBeenDelivered: false))
        #expect(unreachable.start.state == .waiting)
        #expect(!unreachable.isUnsent)
        let unsent = answered(.deferred(reason: "no-key", seconds: 60))
        #expect(unsent.isUnsent)
        #expect(unsent.start.state == .waiting)
        #expect(unsent.start.attempts == 0)
    }

    @Test func `that was kept back for its app has all its time from its first push on`() throws {
        let kept = PushResult.deferred(reason: "key-refused", seconds: 60)
        let unsent = answered(kept).start
        let later = now.adding(seconds: 700)
        let first = try #require(due(unsent, at: later))
        #expect(first.state == .trying)
        #expect(first.firstTriedAt == later)
        let busy = StartMachine.answered(
            first, refused(429, .tooManyRequests), tokenPutAt: now, at: later
        ).start
        #expect(busy.state == .waiting)
        // As earlier versions stored it.
        #expect(due(CardStart(firstTriedAt: now), at: later)?.firstTriedAt == later)
        // One that was tried before has been waiting since then.
        #expect(answered(kept, attempts: 2).start.firstTriedAt == now)
    }

    @Test func `that APNs refused for the moment is tried again, later and later, a few times`() {
        var delays: [Double] = []
        for attempts in 1...9 {
            let start = answered(refused(429, .tooManyRequests), attempts: attempts).start
            guard start.state == .waiting, let at = start.dueAt else { break }
            delays.append(at.seconds(since: now))
        }
        #expect(delays == [5, 15, 45, 135])
        let old = answered(
            refused(503, .serviceUnavailable), at: now.adding(seconds: 601)
        ).start
        #expect(old.state == .refused)
        #expect(old.reason == "ServiceUnavailable")
    }

    @Test func `to a dead token is refused, unless the token was put after it died`() {
        let dead = answered(refused(410, .unregistered, since: 10_000_000))
        #expect(dead.isTokenDead)
        #expect(dead.start.state == .refused)
        let newer = answered(
            refused(410, .unregistered, since: 10_000_000), putAt: now.adding(seconds: 1))
        #expect(!newer.isTokenDead)
        #expect(newer.start.state == .waiting)
        let unfit = answered(refused(400, .badDeviceToken))
        #expect(unfit.isTokenDead)
        #expect(unfit.start.state == .refused)
    }

    @Test func `is needless where a card is, and forgotten where nobody wants it`() {
        #expect(due(CardStart(), hasCard: true)?.state == .needless)
        #expect(due(CardStart(), isWanted: false) == nil)
        let tooLarge = due(CardStart(), refusal: "too-large")
        #expect(tooLarge?.state == .refused)
        #expect(tooLarge?.reason == "too-large")
        let later = CardStart(dueAt: now.adding(seconds: 1))
        #expect(due(later) == later)
    }

    @Test func `is held while none of its activity goes, and costs nothing`() {
        let until = now.adding(seconds: 60)
        let hold = StartMachine.Hold(reason: "ending", until: until)
        let held = CardStart(state: .held, dueAt: until, reason: "ending")
        #expect(due(CardStart(), hold: hold) == held)
        #expect(due(held, hold: hold) == held)
        #expect(due(held)?.state == .trying)
        let unpaid = CardStart(state: .held, dueAt: until, reason: "budget")
        #expect(due(unpaid) == unpaid)
        #expect(due(CardStart(), hasCard: true, hold: hold)?.state == .needless)
        #expect(due(CardStart(), refusal: "too-large", hold: hold)?.state == .refused)
    }

    @Test func `is held while the phone's budget is spent, and goes when there is some`() throws {
        var budget = StartBudget()
        for _ in 0..<8 {
            let start = StartMachine.next(
                CardStart(), isWanted: true, hasCard: false, budget: &budget, at: now,
                under: .builtIn)
            #expect(start?.state == .trying)
        }
        budget = StartBudget(stored: budget.encoded)
        let held = try #require(
            StartMachine.next(
                CardStart(), isWanted: true, hasCard: false, budget: &budget, at: now,
                under: .builtIn))
        #expect(held.state == .held)
        #expect(held.reason == "budget")
        let at = try #require(held.dueAt)
        #expect(abs(at.seconds(since: now) - 900) < 1)
        let goes = StartMachine.next(
            held, isWanted: true, hasCard: false, budget: &budget, at: at, under: .builtIn)
        #expect(goes?.state == .trying)
    }
}

/// Phones, activities, answers and crashes at random: what a store does with the rules, in memory.
private struct RandomStarts {
    private var chance: SeededGenerator
    private var starts: [Int: CardStart] = [:]
    private var budget = StartBudget()
    private var time = now
    /// By activity: what may have reached the phone.
    private(set) var arrivals: [Int: Int] = [:]
    private(set) var tries: [Moment] = []

    init(seed: UInt64) { chance = SeededGenerator(seed: seed) }

    mutating func step() {
        time = time.adding(seconds: Double.random(in: 0...200, using: &chance))
        let activity = Int.random(in: 0..<12, using: &chance)
        let start = starts[activity] ?? CardStart()
        switch Int.random(in: 0..<10, using: &chance) {
        // As a store does when the phone has another token, and when the sender is gone.
        case 0: starts[activity] = start.state == .refused ? CardStart(dueAt: time) : start
        case 1: starts[activity] = start.state == .trying ? CardStart(state: .unknown) : start
        default: attempt(activity, start)
        }
    }

    private mutating func attempt(_ activity: Int, _ start: CardStart) {
        let next = StartMachine.next(
            start, isWanted: Int.random(in: 0..<10, using: &chance) > 0, hasCard: false,
            budget: &budget, at: time, under: .builtIn)
        starts[activity] = next
        guard let next, next.state == .trying, start.state != .trying else { return }
        tries.append(time)
        guard let answer = answer() else { return }
        if answer.mayHaveArrived { arrivals[activity, default: 0] += 1 }
        // Some nodes do not live to tell.
        guard Int.random(in: 0..<5, using: &chance) > 0 else { return }
        starts[activity] = StartMachine.answered(next, answer, tokenPutAt: now, at: time).start
    }

    private mutating func answer() -> PushResult? {
        switch Int.random(in: 0..<6, using: &chance) {
        case 0: .answered(PushResponse(status: 200))
        case 1: refused(429, .tooManyRequests)
        case 2: refused(410, .unregistered)
        case 3: .notAnswered(reason: "", mayHaveBeenDelivered: true)
        case 4: .notAnswered(reason: "", mayHaveBeenDelivered: false)
        default: nil
        }
    }
}

extension PushResult {
    fileprivate var mayHaveArrived: Bool {
        switch self {
        case .answered(let response): response.status == 200
        case .notAnswered(_, let mayHaveBeenDelivered): mayHaveBeenDelivered
        case .deferred: false
        }
    }
}

@Test(arguments: 0..<50)
func `no sequence of answers, crashes and tokens starts a card twice or exceeds the budget`(
    seed: UInt64
) {
    var random = RandomStarts(seed: seed)
    for _ in 0..<300 { random.step() }
    #expect(!random.arrivals.isEmpty)
    let most = random.arrivals.values.max() ?? 0
    #expect(most == 1)
    for (index, first) in random.tries.enumerated() {
        let soon = random.tries[index...].count { $0.seconds(since: first) < 900 }
        #expect(soon <= 9)
    }
}
