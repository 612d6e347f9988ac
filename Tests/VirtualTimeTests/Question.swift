import Domain
import EventStore
import TestSupport

/// Something to ask of a store.
enum Question {
    enum Step {
        case push(onlyOwed: Bool, now: Moment, limit: Int, [PhoneResult.Effect])
        case complete(now: Moment)
        case startAll(StartState, due: Moment, isDead: Bool)
        case startDue(now: Moment, StartState, due: Moment)
        case restart(restartVersion: Int64, StartState, due: Moment)
        case endReplaced([PhoneResult.Effect])
        case recordAfterLosingClaim(StartState, due: Moment)
        case markLeftoverStartsUnknown, finish, close
    }

    case append([NewEvent], isAtomic: Bool)
    case fold(limit: Int, Verdict, sendAfter: Moment?, restarts: Bool)
    case card(String, CardRequest)
    case putToken(StartWish)
    case removeToken(String)
    case putAudience(ActivityID, [AudienceTopic], notBefore: Moment?)
    case claim(node: Int, Moment)
    case renew(String, Moment)
    case carryOut(String, Step)
    case release(String)
}

/// Questions from a seed, about a few phones and two activities.
struct Questions {
    static let activities = ["a", "b"]

    private var random: SeededGenerator
    private var now = Sample.start
    private var events = 0

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func next() -> Question {
        now = now.adding(seconds: Double(below(3)) / 2)
        switch below(33) {
        case 0...2: return append()
        case 3...6:
            let verdict = pick([Verdict.timely, .quiet, .alert, .hold, .timely, .end])
            return .fold(
                limit: 1 + below(3), below(4) > 0 && verdict == .end ? .timely : verdict,
                sendAfter: below(3) == 0 ? now.adding(seconds: Double(below(4))) : nil,
                restarts: below(6) == 0)
        case 7...10: return .card(pick(Self.activities), request())
        case 11: return .putToken(startWish())
        case 12: return below(4) == 0 ? .removeToken("one") : .putToken(startWish())
        case 13:
            return .putAudience(
                ActivityID(rawValue: pick(Self.activities)),
                Sample.topics(pick([["x"], ["x", "y"], ["y"]])),
                notBefore: below(3) == 0 ? now.adding(seconds: 2) : nil)
        case 14...18: return .claim(node: below(2), now)
        case 19: return .release(pick(Self.activities))
        case 20...22: return .renew(pick(Self.activities), now)
        default: return .carryOut(pick(Self.activities), step())
        }
    }

    private mutating func step() -> Question.Step {
        let later = now.adding(seconds: Double(1 + below(3)))
        switch below(17) {
        case 0...4:
            return .push(
                onlyOwed: below(2) == 0, now: now, limit: 1 + below(4),
                (0..<4).map { _ in result() })
        case 5...7: return .complete(now: now)
        case 8, 9: return .startAll(startState(), due: later, isDead: below(4) == 0)
        case 10: return .startDue(now: now, startState(), due: later)
        case 11, 12: return .restart(restartVersion: Int64(1 + below(4)), startState(), due: later)
        case 13: return .endReplaced((0..<2).map { _ in result() })
        case 14: return .markLeftoverStartsUnknown
        case 15: return .recordAfterLosingClaim(startState(), due: later)
        default: return below(3) == 0 ? .close : .finish
        }
    }

    private mutating func append() -> Question {
        let count = 1 + below(3)
        let new = (0..<count).map { _ in
            if below(4) > 0 { events += 1 }
            let activity = events % 3 == 0 ? "b" : "a"
            return Sample.event(
                "\(events)", activity, data: below(8) == 0 ? "{}" : #"{"n": 1}"#,
                expectedVersion: below(5) == 0 ? Int64(below(6)) : nil)
        }
        return .append(new, isAtomic: below(2) == 0)
    }

    private mutating func request() -> CardRequest {
        let installation = pick(["one", "two", nil])
        switch below(8) {
        case 0...3: return .register(Sample.wish(below(5), installation))
        case 4, 5:
            let from = below(5)
            return .rotate(
                from: Sample.token(from), to: Sample.token((from + 1 + below(4)) % 5))
        case 6: return .report(.token(Sample.token(below(5))), pick(CardReport.allCases))
        default: return .remove(Sample.token(below(5)))
        }
    }

    private mutating func startWish() -> StartWish {
        StartWish(
            installation: pick(["one", "two", "three"]), kind: Sample.kind,
            token: Sample.token(8 + below(4)), environment: .production,
            bundleID: Sample.bundleID, topics: Sample.topics(pick([["x"], ["y"], ["x", "y"]])))
    }

    private mutating func result() -> PhoneResult.Effect {
        let later = now.adding(seconds: Double(below(3)))
        switch below(8) {
        case 4: return .unfit(reason: "unknown here")
        case 0: return .retry(at: later, reason: "busy")
        case 1: return .dead(reason: "gone", since: nil, retryAt: later)
        case 2:
            // Long before or after anybody registered, by any clock.
            let since = Moment(unixSeconds: pick([1_000_000_000, 4_000_000_000]))
            return .dead(reason: "gone", since: since, retryAt: later)
        case 3: return .givenUp(reason: "unfit")
        case 5: return .retry(at: later, reason: AppSuspension.noKey.rawValue)
        default: return .accepted(version: Int64(below(6)))
        }
    }

    private mutating func startState() -> StartState {
        pick([.started, .started, .refused, .waiting, .unknown, .trying])
    }

    private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

    private mutating func pick<T>(_ choices: [T]) -> T { choices[below(choices.count)] }
}
