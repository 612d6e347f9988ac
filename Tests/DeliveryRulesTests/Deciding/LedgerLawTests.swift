import DeliveryRules
import Domain
import Foundation
import JSON
import TestSupport
import Testing
@testable import Projections

/// What is true of every ledger, whatever happens at whatever time under whatever policy.
struct LedgerLawTests {
    /// Some days of chance; a change may end it, be late, take something back or be too large.
    /// - Parameter pace: the same happenings under a policy with these figures of the pace.
    private func night(seed: UInt64, pace: [String: Double] = [:]) throws -> Night {
        var random = SeededGenerator(seed: seed)
        func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }
        var night = try Night(
            except: chance(2) ? ["goal"] : [],
            thresholds: [
                "budgetTokensCount": Double(Int.random(in: 1...8, using: &random)),
                "budgetReserveCount": Double(Int.random(in: 0...2, using: &random)),
                "newsAgeSeconds": Double(Int.random(in: 60...3_600, using: &random)),
            ].merging(pace) { $1 })
        let usual = night.policy
        var hour = -12.0
        for _ in 0..<150 {
            hour += Double.random(in: 0...(chance(12) ? 9 : 0.7), using: &random)
            night.policy = chance(20) ? .builtIn : usual
            let subjects = (0..<4).map { "goal/\($0)" }
            var alertContext = AlertContext(
                weight: Int.random(in: 0...5, using: &random),
                subject: chance(3) ? nil : subjects.randomElement(using: &random))
            if chance(4), let gone = subjects.randomElement(using: &random) {
                alertContext.withdrawnSubjects = [gone]
                alertContext.isCorrection = chance(2)
            }
            let isClock = chance(20)
            night.change(
                at: hour,
                isClock ? .none : Significance.allCases.randomElement(using: &random) ?? .none,
                rule: chance(4) ? "goal" : "details",
                alertContext: isClock ? AlertContext() : alertContext,
                secondsLate: chance(5) ? Double.random(in: 0...9_000, using: &random) : 0,
                ends: chance(120) ? Ending(dismissAfterSeconds: 900) : nil,
                state: chance(25)
                    ? String(repeating: "x", count: DeliveryRules.Limits.contentStateBytesMax + 1)
                    : chance(3) ? "{}" : nil,
                isClock: isClock)
        }
        return night
    }

    @Test(arguments: UInt64(0)..<40)
    func `an alert is said, or the ledger says why not and with what result`(seed: UInt64) throws {
        let night = try night(seed: seed)
        var left: Set<Int64> = []
        var hasEnded = false
        for (change, decision) in zip(night.changes, night.decisions) {
            #expect(decision.version == change.snapshot.version)
            for carried in decision.alertContext?.carried ?? [] {
                #expect(left.remove(carried.version) != nil)
                #expect(carried.alert == Night.alert(carried.version))
                #expect(decision.allAlerts.contains { $0.alert == carried.alert })
            }
            for version in decision.alertContext?.dropped ?? [] {
                // One may be kept back and give way at once.
                #expect(left.remove(version) != nil || version == decision.version)
            }
            if decision.alertContext?.silence == .quietHours {
                let isGone = decision.alertContext?.dropped.contains(decision.version) == true
                #expect(isGone || left.insert(decision.version).inserted)
            }
            defer { hasEnded = hasEnded || decision.verdict == .end }
            guard let alert = change.alert else { continue }
            let isSaid = decision.allAlerts.contains { $0.alert == alert }
            let isHeld =
                decision.verdict == .hold && decision.rule == (hasEnded ? "ended" : "too-large")
            #expect(isSaid || isHeld || decision.alertContext?.silence != nil, "\(decision)")
        }
        #expect(!hasEnded || left.isEmpty)
        #expect(left.count <= DeliveryRules.Limits.keptBackAlertsMax)
    }

    @Test(arguments: UInt64(0)..<40)
    func `nobody is alerted in quiet hours but by an end, an excepted rule, or the clock`(
        seed: UInt64
    ) throws {
        let night = try night(seed: seed)
        for (change, decision) in zip(night.changes, night.decisions) where change.isInQuietHours {
            guard decision.alert != nil else { continue }
            #expect(decision.verdict == .end || decision.rule == "goal")
            #expect(decision.verdict == .end || decision.alertContext?.carried == [])
        }
    }

    @Test(arguments: UInt64(0)..<40)
    func `after an end nothing is pushed, and before it phones are shown the newest state`(
        seed: UInt64
    ) throws {
        let night = try night(seed: seed)
        let end = night.decisions.firstIndex { $0.verdict == .end }
        let after = end.map { night.decisions[($0 + 1)...] } ?? []
        #expect(after.allSatisfy { $0.verdict == .hold && $0.order == nil })
        var shown: Data?
        for (change, decision) in zip(night.changes, night.decisions).prefix(end ?? .max) {
            if decision.verdict.pushes { shown = decision.contentState }
            #expect(decision.significance == change.assessment.significance)
            let isWorthIt = change.assessment.significance != .none
            let isOld = decision.contentState != shown
            #expect(!isOld || !isWorthIt || decision.rule == "too-large")
        }
    }

    @Test(arguments: UInt64(0)..<10)
    func `the same happenings give the same ledger, also from what was stored in between`(
        seed: UInt64
    ) throws {
        let night = try night(seed: seed)
        var machine = DispatchMachine()
        for (change, decision) in zip(night.changes, night.decisions) {
            #expect(machine.decide(about: change) == decision)
            machine = try WireCoder.decode(
                DispatchMachine.self, from: WireCoder.encode(machine))
            if let alertContext = decision.alertContext {
                #expect(
                    try WireCoder.decode(AlertContext.self, from: WireCoder.encode(alertContext))
                        == alertContext)
            }
        }
        #expect(machine == night.machine)
    }

    @Test(arguments: UInt64(0)..<40)
    func `another pace changes when pushes go and at which priority, and nothing else`(
        seed: UInt64
    ) throws {
        let pace = ["budgetTokensCount": 1.0, "quietTokensCount": 1, "coalesceSeconds": 240]
        let (night, slow) = (try night(seed: seed), try self.night(seed: seed, pace: pace))
        for (decision, slowed) in zip(night.decisions, slow.decisions) {
            var decision = decision
            decision.order = slowed.order
            decision.reason = slowed.reason
            #expect(decision == slowed)
        }
        #expect(zip(night.decisions, slow.decisions).contains { $0.order != $1.order })
    }

    @Test(arguments: UInt64(0)..<10)
    func `machines and orders are stored as the stock encoder writes them`(seed: UInt64) throws {
        let night = try night(seed: seed)
        let stock = JSONEncoder()
        stock.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var machine = DispatchMachine()
        for (change, decision) in zip(night.changes, night.decisions) {
            _ = machine.decide(about: change)
            #expect(try WireCoder.encode(machine) == stock.encode(machine))
            guard var order = decision.order else { continue }
            #expect(try WireCoder.encode(order) == stock.encode(order))
            order.restarts = true
            #expect(try WireCoder.encode(order) == stock.encode(order))
        }
    }

    @Test func `chance brings about all that is looked at`() throws {
        var seen: Set<String> = []
        for seed in UInt64(0)..<40 {
            for decision in try night(seed: seed).decisions {
                seen.insert(decision.verdict.rawValue)
                guard let alertContext = decision.alertContext else { continue }
                if let silence = alertContext.silence { seen.insert(silence.rawValue) }
                if !alertContext.carried.isEmpty { seen.insert("carried by \(decision.verdict)") }
                if !alertContext.dropped.isEmpty { seen.insert("dropped by \(decision.verdict)") }
            }
        }
        let expected = Verdict.allCases.map(\.rawValue) + Silence.allCases.map(\.rawValue)
        let others = ["carried by alert", "carried by end", "dropped by quiet", "dropped by end"]
        #expect(seen.isSuperset(of: expected + others), "\(seen.sorted())")
    }
}
