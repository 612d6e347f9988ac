import DeliveryRules
import Domain
import Foundation
import JSON
import Testing
@testable import Projections

/// A folded change as a projection would hand it over.
func change(
    version: Int64, state: String, _ significance: Significance, ending: Ending? = nil,
    phase: Phase = .live
) -> FoldedChange {
    let empty = Data("{}".utf8)
    return FoldedChange(
        snapshot: Snapshot(
            activityID: ActivityID(rawValue: "order-1"), kind: "PizzaDelivery", version: version,
            position: version, phase: phase, state: empty, attributes: empty,
            contentState: Data(state.utf8), updatedAt: Moment(unixSeconds: 1_000 + version)),
        isVisible: true,
        assessment: Assessment(
            significance: significance, rule: "rule", reason: "because", ending: ending),
        occurredAt: Moment(unixSeconds: 1_000 + version),
        alert: significance == .alert ? Alert(title: "Goal", body: "1–0") : nil)
}

struct `The dispatch machine` {
    @Test func `alerts, shows at once, or shows quietly as the policy says`() {
        var machine = DispatchMachine()
        #expect(machine.decide(about: change(version: 1, state: "{}", .alert)).verdict == .alert)
        #expect(machine.decide(about: change(version: 2, state: "{1}", .timely)).verdict == .timely)
        #expect(machine.decide(about: change(version: 3, state: "{2}", .ambient)).verdict == .quiet)
        #expect(machine.decide(about: change(version: 4, state: "{3}", .none)).verdict == .hold)
    }

    @Test func `holds a change that the phone would not show`() {
        var machine = DispatchMachine()
        _ = machine.decide(about: change(version: 1, state: "{}", .timely))
        let decision = machine.decide(about: change(version: 2, state: "{}", .ambient))
        #expect(decision.verdict == .hold)
        #expect(decision.rule == "unchanged")
    }

    @Test func `sends a state again that was shown, changed and came back`() {
        var machine = DispatchMachine()
        for (version, state) in [(1, "{}"), (2, "{1}"), (3, "{}")] as [(Int64, String)] {
            let decision = machine.decide(about: change(version: version, state: state, .ambient))
            #expect(decision.verdict == .quiet)
        }
    }

    @Test func `sends a change that an earlier hold kept from the phone`() {
        var machine = DispatchMachine()
        _ = machine.decide(about: change(version: 1, state: "{}", .timely))
        _ = machine.decide(about: change(version: 2, state: "{1}", .none))
        #expect(machine.decide(about: change(version: 3, state: "{1}", .ambient)).verdict == .quiet)
    }

    @Test func `reads how much people have heard where that was counted in steps`() throws {
        let former = #"{"hasEnded":false,"unheard":{"entries":[{"heard":2,"subject":"delay"}]}}"#
        let machine = try WireCoder.decode(DispatchMachine.self, from: Data(former.utf8))
        let stored = String(decoding: WireCoder.encode(machine), as: UTF8.self)
        #expect(stored.contains(#"{"heardSeconds":1200,"subject":"delay"}"#))
        let again = try WireCoder.decode(DispatchMachine.self, from: Data(stored.utf8))
        #expect(again == machine)
    }

    @Test func `ends with the alert of the policy and a dismissal date`() {
        var machine = DispatchMachine()
        let decision = machine.decide(
            about: change(version: 1, state: "{}", .alert, ending: Ending(dismissAfterSeconds: 900))
        )
        #expect(decision.verdict == .end)
        #expect(decision.alert?.title == "Goal")
        #expect(decision.dismissAt == Moment(unixSeconds: 1_901))
    }

    @Test func `pushes nothing after the end, whatever comes`() {
        var machine = DispatchMachine()
        _ = machine.decide(
            about: change(version: 1, state: "{}", .timely, ending: Ending(dismissAfterSeconds: 0)))
        for significance in [Significance.alert, .timely, .ambient] {
            let decision = machine.decide(about: change(version: 2, state: "{9}", significance))
            #expect(decision.verdict == .hold)
            #expect(decision.rule == "ended")
        }
    }

    @Test func `leaves the policy its words about what it would not push anyway`() {
        var machine = DispatchMachine()
        _ = machine.decide(about: change(version: 1, state: "{}", .timely))
        let same = machine.decide(about: change(version: 2, state: "{}", .none))
        #expect(same.verdict == .hold)
        #expect(same.rule == "rule" && same.reason == "because")
        _ = machine.decide(
            about: change(version: 3, state: "{}", .none, ending: Ending(dismissAfterSeconds: 0)))
        let late = machine.decide(about: change(version: 4, state: "{}", .none))
        #expect(late.verdict == .hold)
        #expect(late.rule == "rule" && late.reason == "because")
    }

    @Test func `holds a state that would not fit into a push and says how large it is`() {
        var machine = DispatchMachine()
        let state = String(repeating: "x", count: DeliveryRules.Limits.contentStateBytesMax + 1)
        let decision = machine.decide(about: change(version: 1, state: state, .alert))
        #expect(decision.verdict == .hold)
        #expect(decision.rule == "too-large")
        #expect(decision.reason.contains("3073"))
    }

    @Test func `takes the time of the decision from the log`() {
        var machine = DispatchMachine()
        let decision = machine.decide(about: change(version: 7, state: "{}", .timely))
        #expect(decision.decidedAt == Moment(unixSeconds: 1_007))
    }

    /// After which silence is odd for half an hour.
    private func report(
        atMinute minute: Int, _ significance: Significance, state: String = "{}"
    ) -> FoldedChange {
        var report = change(version: Int64(minute + 1), state: state, significance)
        let time = Moment(unixSeconds: 1_000).adding(seconds: Double(minute * 60))
        (report.snapshot.updatedAt, report.occurredAt) = (time, time)
        report.assessment.staleAt = time.adding(seconds: 1_800)
        return report
    }

    @Test(arguments: [Significance.none, .ambient])
    func `pushes quietly what phones show already before they would call it stale`(
        significance: Significance
    ) throws {
        var machine = DispatchMachine()
        #expect(machine.decide(about: report(atMinute: 0, .timely)).verdict == .timely)
        var minutes: [Int] = []
        for minute in 1...120 {
            let report = report(atMinute: minute, significance)
            let mayPass = report.snapshot.updatedAt < machine.skipsUnchangedUntil
            let decision = machine.decide(about: report)
            machine = try WireCoder.decode(DispatchMachine.self, from: WireCoder.encode(machine))
            guard decision.verdict != .hold else { continue }
            #expect(decision.verdict == .quiet && decision.rule == "fresh" && !mayPass)
            minutes.append(minute)
        }
        #expect(minutes == [23, 46, 69, 92, 115])
    }

    @Test func `makes no card fresh that nobody reports of, that has ended or is too large`() {
        var machine = DispatchMachine()
        _ = machine.decide(about: report(atMinute: 0, .timely))
        var clock = report(atMinute: 30, .none)
        clock.assessment.staleAt = clock.snapshot.updatedAt
        #expect(machine.decide(about: clock).verdict == .hold)
        let large = String(repeating: "x", count: DeliveryRules.Limits.contentStateBytesMax + 1)
        #expect(machine.decide(about: report(atMinute: 31, .none, state: large)).verdict == .hold)
        var end = report(atMinute: 32, .timely)
        (end.assessment.ending, end.assessment.staleAt) = (Ending(dismissAfterSeconds: 0), nil)
        #expect(machine.decide(about: end).verdict == .end)
        #expect(machine.decide(about: report(atMinute: 90, .none)).verdict == .hold)
    }

    @Test func `remembers the same after a trip through storage`() throws {
        var machine = DispatchMachine()
        _ = machine.decide(about: change(version: 1, state: "{}", .timely))
        let stored = WireCoder.encode(machine)
        #expect(try WireCoder.decode(DispatchMachine.self, from: stored) == machine)
    }
}
