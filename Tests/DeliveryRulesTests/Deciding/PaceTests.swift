import DeliveryRules
import Domain
import Foundation
import JSON
import TestSupport
import Testing
@testable import Projections

/// A machine that gets changes at seconds of its own.
private struct Evening {
    var machine = DispatchMachine()
    var policy = Policy.builtIn
    var decisions: [Decision] = []

    @discardableResult
    mutating func change(
        at second: Double, _ significance: Significance, isCritical: Bool = false,
        ends: Bool = false
    ) -> Decision {
        let version = Int64(decisions.count + 1)
        var folded = DeliveryRulesTests.change(
            version: version, state: #"{"n":\#(version)}"#, significance,
            ending: ends ? Ending(dismissAfterSeconds: 900) : nil)
        folded.snapshot.updatedAt = Moment(unixSeconds: 1_000_000).adding(seconds: second)
        folded.occurredAt = folded.snapshot.updatedAt
        folded.assessment.isCritical = isCritical || ends
        folded.policy = policy
        decisions.append(machine.decide(about: folded))
        return decisions[decisions.count - 1]
    }

    /// When phones with frequent updates were sent something at priority 10: what waits goes at its
    /// time, or with the next push.
    var frequentSeconds: [Double] {
        var seconds: [Double] = []
        var waiting: (until: Double, isImmediate: Bool)?
        for decision in decisions {
            guard let order = decision.order, let now = Self.second(decision.decidedAt) else {
                continue
            }
            if let due = waiting, due.until <= now {
                if due.isImmediate { seconds.append(due.until) }
                waiting = nil
            }
            let isImmediate = order.isImmediateForFrequent || waiting?.isImmediate == true
            if let until = Self.second(order.sendAfter) {
                waiting = (min(until, waiting?.until ?? until), isImmediate)
            } else {
                if isImmediate { seconds.append(now) }
                waiting = nil
            }
        }
        return seconds
    }

    static func second(_ moment: Moment?) -> Double? {
        moment?.seconds(since: Moment(unixSeconds: 1_000_000))
    }
}

private func policy(_ thresholds: [String: Double]) throws -> Policy {
    try ActivityCatalog.standard.policy(
        ofKind: "Match", PolicyDocument(thresholds: thresholds), version: 1)
}

struct `The budget of an activity` {
    @Test func `lowers what it has no token for, and keeps a reserve for what is critical`() {
        var evening = Evening()
        for _ in 0..<8 {
            #expect(evening.change(at: 0, .timely).order?.isImmediate == true)
        }
        let lowered = evening.change(at: 0, .alert)
        #expect(lowered.order?.treatment == .lowered)
        #expect(lowered.order?.isImmediate == false)
        #expect(lowered.verdict == .alert && lowered.alert != nil)
        #expect(lowered.order?.sendAfter == nil)
        #expect(evening.change(at: 0, .alert, isCritical: true).order?.isImmediate == true)
        #expect(evening.change(at: 0, .timely, ends: true).order?.isImmediate == true)
        #expect(evening.decisions.last?.order?.budget?.after.standard == 0)
    }

    @Test func `comes back at its pace and never beyond what it can have`() throws {
        var evening = Evening()
        evening.policy = try policy([
            "budgetTokensCount": 2, "budgetReserveCount": 0, "budgetRefillSeconds": 60,
        ])
        let immediate = [0, 1, 2, 61, 62, 1000, 1001, 1002].map {
            evening.change(at: $0, .timely).order?.isImmediate
        }
        #expect(immediate == [true, true, false, true, false, true, true, false])
    }

    @Test func `is larger for phones that allow frequent updates`() {
        var evening = Evening()
        for _ in 0..<20 { evening.change(at: 0, .alert) }
        let orders = evening.decisions.compactMap(\.order)
        #expect(orders.count { $0.isImmediate } == 8)
        #expect(orders.map(\.isImmediateForFrequent) == Array(repeating: true, count: 20))
    }

    @Test func `is charged for pushes that go, not for each change that waits for one`() throws {
        var evening = Evening()
        evening.policy = try policy([
            "budgetTokensCount": 1, "budgetReserveCount": 0, "budgetRefillSeconds": 3600,
            "frequentRefillSeconds": 3600, "quietTokensCount": 1, "quietRefillSeconds": 300,
        ])
        for _ in 0..<2 { evening.change(at: 0, .alert) }
        let waiting = (1...5).compactMap { evening.change(at: Double($0), .alert).order }
        #expect(waiting.allSatisfy { $0.isImmediateForFrequent && $0.sendAfter != nil })
        for budget in waiting.compactMap(\.budget) {
            #expect(budget.before.frequent == budget.after.frequent)
        }
        // All five have gone in one push.
        let next = evening.change(at: 310, .ambient).order?.budget?.before
        #expect(next.map { Int($0.frequent) } == 37)
    }

    @Test func `ends an activity even when nothing is left`() throws {
        var evening = Evening()
        evening.policy = try policy(["budgetTokensCount": 1, "budgetReserveCount": 0])
        evening.change(at: 0, .timely)
        let end = evening.change(at: 1, .alert, ends: true)
        #expect(end.verdict == .end && end.order?.sendAfter == nil)
        #expect(end.order?.treatment == .lowered)
    }
}

struct `The pace of an activity` {
    @Test func `lets the first quiet change go at once and gathers the next`() {
        var evening = Evening()
        let waits = [0, 1, 2, 4.5, 5, 6, 20].map {
            Evening.second(evening.change(at: $0, .ambient).order?.sendAfter)
        }
        #expect(waits == [nil, 5, 5, 5, 10, 10, nil])
    }

    @Test func `lets a timely change overtake the window and take along what waits`() {
        var evening = Evening()
        evening.change(at: 0, .ambient)
        #expect(Evening.second(evening.change(at: 1, .ambient).order?.sendAfter) == 5)
        #expect(evening.change(at: 2, .timely).order?.sendAfter == nil)
        // Counted from the push that went out, not from the one that was not needed.
        #expect(Evening.second(evening.change(at: 3, .ambient).order?.sendAfter) == 7)
    }

    @Test func `holds quiet changes when there were too many, and says until when`() throws {
        var evening = Evening()
        evening.policy = try policy([
            "coalesceSeconds": 0, "quietTokensCount": 2, "quietRefillSeconds": 300,
        ])
        let orders = [0, 1, 2, 3].map { evening.change(at: $0, .ambient).order }
        #expect(orders.map { $0?.treatment } == [.asWanted, .asWanted, .held, .held])
        let until = try #require(Evening.second(orders[2]?.sendAfter))
        #expect(abs(until - 300) < 0.01)
        #expect(orders[3]?.sendAfter == orders[2]?.sendAfter)
        // Once little is left of the wait, it is one of many.
        let last = evening.change(at: 250, .ambient).order
        #expect(last?.treatment == .merged && last?.sendAfter == orders[2]?.sendAfter)
    }

    @Test func `follows a new policy, also while something waits by the former one`() throws {
        var evening = Evening()
        evening.policy = try policy([
            "coalesceSeconds": 0, "quietTokensCount": 1, "quietRefillSeconds": 3600,
        ])
        evening.change(at: 0, .ambient)
        let held = evening.change(at: 10, .ambient).order
        #expect(held?.treatment == .held)
        #expect(try #require(Evening.second(held?.sendAfter)) > 3_500)
        evening.policy = .builtIn
        let merged = evening.change(at: 12, .ambient).order
        #expect(merged?.treatment == .merged)
        #expect(try #require(Evening.second(merged?.sendAfter)) < 31)
        // With it went what was to wait for an hour.
        let next = evening.change(at: 62, .ambient).order
        #expect(next?.treatment == .asWanted && next?.sendAfter == nil)
    }

    @Test func `sends what waits at once with a change that a new policy lets go`() throws {
        var evening = Evening()
        evening.policy = try policy(["coalesceSeconds": 300])
        evening.change(at: 0, .ambient)
        #expect(Evening.second(evening.change(at: 1, .ambient).order?.sendAfter) == 300)
        evening.policy = .builtIn
        #expect(evening.change(at: 10, .ambient).order?.sendAfter == nil)
        #expect(Evening.second(evening.change(at: 11, .ambient).order?.sendAfter) == 15)
        // What waits goes at its time, however strict the policy has become.
        evening.policy = try policy(["coalesceSeconds": 300])
        #expect(Evening.second(evening.change(at: 12, .ambient).order?.sendAfter) == 15)
    }

    /// Whatever comes, in whatever order of significance, under whatever figures.
    @Test(arguments: 0..<60)
    func `never exceeds a budget, and lets no change wait for ever`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var evening = Evening()
        let tokens = Double(Int.random(in: 1...12, using: &random))
        let refill = Double(Int.random(in: 1...120, using: &random))
        let window = Double(Int.random(in: 0...30, using: &random))
        let reserve = Double(Int.random(in: 0...3, using: &random))
        evening.policy = try policy([
            "budgetTokensCount": tokens, "budgetRefillSeconds": refill,
            "coalesceSeconds": window, "budgetReserveCount": reserve, "quietTokensCount": 3,
            "quietRefillSeconds": refill, "frequentTokensCount": tokens + 5,
            "frequentRefillSeconds": refill,
        ])
        var second = 0.0
        for _ in 0..<200 {
            second += Double.random(in: 0...20, using: &random)
            let significance = Significance.allCases.randomElement(using: &random) ?? .none
            evening.change(
                at: second, significance, isCritical: Int.random(in: 0..<9, using: &random) == 0)
        }
        let immediate = evening.decisions.filter { $0.order?.isImmediate == true }
            .compactMap { Evening.second($0.decidedAt) }
        for (index, start) in immediate.enumerated() {
            for (count, end) in immediate[index...].enumerated() {
                #expect(Double(count + 1) <= tokens + (end - start) / refill + 0.01)
            }
        }
        let frequent = evening.frequentSeconds
        for (index, start) in frequent.enumerated() {
            for (count, end) in frequent[index...].enumerated() {
                #expect(Double(count + 1) <= tokens + 5 + (end - start) / refill + 0.01)
            }
        }
        for decision in evening.decisions where decision.verdict.pushes {
            let order = try #require(decision.order)
            guard let after = order.sendAfter else { continue }
            #expect(after > decision.decidedAt)
            // Words wait only where there is nothing left at either priority.
            let quietLeft = order.budget?.before.quiet ?? 0
            #expect(decision.alert == nil || quietLeft < 1)
            #expect(after.seconds(since: decision.decidedAt) <= window + 2 * refill + 1)
        }
    }

    @Test(arguments: 0..<20)
    func `is kept with the activity: what is stored in between decides alike`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: 500 + seed)
        var (kept, stored) = (Evening(), Evening())
        var second = 0.0
        for _ in 0..<80 {
            second += Double.random(in: 0...30, using: &random)
            let significance = Significance.allCases.randomElement(using: &random) ?? .none
            kept.change(at: second, significance)
            stored.change(at: second, significance)
            stored.machine = try WireCoder.decode(
                DispatchMachine.self, from: WireCoder.encode(stored.machine))
        }
        #expect(kept.decisions == stored.decisions)
        #expect(WireCoder.encode(kept.machine).count < 400)
    }
}
