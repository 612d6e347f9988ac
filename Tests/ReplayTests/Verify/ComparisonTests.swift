import Domain
import Explaining
import Foundation
import Testing

@testable import Replay

private let made = Decision(
    activityID: ActivityID(rawValue: "order-1"), version: 2, position: 2, verdict: .alert,
    rule: "driverAssigned", reason: "a driver is on the way",
    alert: Alert(title: "On its way", body: "Ada"), contentState: Data(#"{"stage":"a"}"#.utf8),
    decidedAt: Moment(unixSeconds: 1), significance: .alert)

struct `A stored decision beside the one that the log gives` {
    private func compared(
        isRecomputable: Bool = true, _ change: (inout Decision) -> Void
    ) -> DecisionComparison {
        var stored = made
        change(&stored)
        return DecisionComparison(made, stored, isRecomputable: isRecomputable)
    }

    @Test func `is equal if phones get the same, whatever the sentence says`() throws {
        for isRecomputable in [true, false] {
            guard case .equal = compared(isRecomputable: isRecomputable, { _ in }) else {
                throw Otherwise()
            }
        }
        guard case .equal = compared({ $0.reason = "a driver has it" }) else { throw Otherwise() }
    }

    /// An event that was parked and folded later tells nobody of the past.
    @Test func `is equal if it was caught up with`() throws {
        func catchUp(_ stored: inout Decision) {
            (stored.verdict, stored.rule, stored.alert) = (.hold, "history", nil)
        }
        guard case .equal = compared(catchUp) else { throw Otherwise() }
        let other = compared { stored in
            catchUp(&stored)
            stored.contentState = Data("{}".utf8)
        }
        guard case .differs(let detail) = other else { throw Otherwise() }
        #expect(detail.hasPrefix("verdict, rule, alert, content state differ"))
        guard case .differs = compared({ ($0.rule, $0.alert) = ("history", nil) }) else {
            throw Otherwise()
        }
    }

    @Test func `differs in what is named, with both verdicts`() throws {
        guard
            case .differs(let detail) = compared({
                $0.verdict = .quiet
                $0.rule = "located"
            })
        else { throw Otherwise() }
        #expect(
            detail
                == "verdict, rule differ: the ledger says quiet by located, the log gives alert by "
                + "driverAssigned: the fold has changed since, or the ledger was altered")
    }

    @Test func `of other rules is asked for nothing but its state`() throws {
        guard
            case .ofOtherRules = compared(isRecomputable: false, { $0.verdict = .hold })
        else { throw Otherwise() }
        guard
            case .differs(let detail) = compared(
                isRecomputable: false, { $0.contentState = Data("{}".utf8) })
        else { throw Otherwise() }
        #expect(detail.hasPrefix("content state differ"))
    }

    private struct Otherwise: Error {}
}

struct `A stored snapshot beside the log folded again` {
    private let stored = Snapshot(
        activityID: ActivityID(rawValue: "order-1"), kind: "PizzaDelivery", version: 2, position: 2,
        phase: .live, state: Data("{}".utf8), attributes: Data("{}".utf8),
        contentState: Data("{}".utf8), updatedAt: Moment(unixSeconds: 2))

    private static let changes: [(String, @Sendable (inout Snapshot) -> Void)] = [
        ("version", { $0.version = 3 }), ("phase", { $0.phase = .ended }),
        ("state", { $0.state = Data("{ }".utf8) }),
        ("attributes", { $0.attributes = Data("[]".utf8) }),
        ("content state", { $0.contentState = Data("[]".utf8) }),
        ("dispatch", { $0.dispatch = Data("[]".utf8) }),
        ("facts", { $0.facts.words = SearchWords("7") }),
        ("awaited event", { $0.awaits = "PizzaDelivery.OrderPlaced" }),
        ("due time", { $0.dueAt = Moment(unixSeconds: 9) }),
        ("time of update", { $0.updatedAt = Moment(unixSeconds: 3) }),
    ]

    @Test func `differs in the members that are named, in one order`() {
        var other = stored
        for (name, change) in Self.changes {
            var one = stored
            change(&one)
            change(&other)
            #expect(SnapshotComparison.differing(one, stored, withDispatch: true) == [name])
        }
        #expect(
            SnapshotComparison.differing(stored, other, withDispatch: true)
                == Self.changes.map(\.0))
        #expect(SnapshotComparison.differing(stored, stored, withDispatch: true).isEmpty)
    }

    /// After a decision of other rules the machine stands elsewhere.
    @Test func `is not asked for its dispatch where that cannot be made again`() {
        var other = stored
        other.dispatch = Data("[]".utf8)
        #expect(SnapshotComparison.differing(other, stored, withDispatch: false).isEmpty)
        other.blockage = "parked"
        other.foldVersion = 9
        #expect(SnapshotComparison.differing(other, stored, withDispatch: false).isEmpty)
    }
}

struct `Traces of two folds` {
    private func head(tenant: String = "bakery", version: Int = 1) -> Data {
        var head = FoldTrace.Head(
            tenant: tenant, program: "test", rulesVersion: 1, foldVersions: ["Match": 2])
        head.formatVersion = version
        return FoldTrace.encoded(head)
    }

    private func line(
        _ position: Int64, _ activity: String = "order-1", phase: String? = "live",
        shown: String? = #"{"stage":"a"}"#, state: String? = "00", blockage: String? = nil
    ) -> Data {
        FoldTrace.encoded(
            FoldTrace.Line(
                position: position, activity: activity, version: position,
                type: "PizzaDelivery.OrderAccepted", blockage: blockage, phase: phase,
                shown: shown, state: state, decision: "alert by placed"))
    }

    private func report(_ first: [Data], _ second: [Data]) throws -> FoldComparison.Report {
        var (left, right) = (first[...], second[...])
        return try FoldComparison.compare({ left.popFirst() }, { right.popFirst() })
    }

    private func refusal(_ first: [Data], _ second: [Data]) -> String {
        do {
            _ = try report(first, second)
            return "none"
        } catch { return "\(error)" }
    }

    @Test func `cannot be compared if they are of two tenants or forms`() {
        #expect(
            refusal([head()], [head(tenant: "pub")])
                == "one is of bakery, the other of pub; compare folds of the same log")
        #expect(
            refusal([head()], [head(version: 2)])
                == "it has format version 2, which this version of Islet does not know")
        #expect(refusal([head()], [line(1)]) == "it is not what islet replay trace writes")
        #expect(refusal([head(), Data("{".utf8)], [head(), line(1)]) == "a line of it is damaged")
    }

    @Test func `cannot be compared if one has events that the other has not`() {
        #expect(
            refusal([head(), line(1), line(2)], [head(), line(1), line(3)])
                == "they are not of the same log: one goes on with position 2, the other with 3")
        #expect(
            refusal([head(), line(1)], [head(), line(1, "p-7")])
                == "they are not of the same log: at position 1 one has order-1 v1, the other "
                + "p-7 v1. A redacted export has other ids than its log: compare two traces of it")
        #expect(refusal([head(), line(1, "é")], [head(), line(1, "e\u{301}")]) != "none")
    }

    @Test func `are compared up to the end of the shorter one if the log grew in between`() throws {
        let short = [head(), line(1), line(2, phase: "ended")]
        let long = [head(), line(1), line(2), line(4), line(5)]
        for one in [try report(short, long), try report(long, short)] {
            #expect(one.endsAt == 2)
            #expect(one.events == 2 && one.eventsDiffering == 1)
        }
        #expect(try report(long, long).endsAt == nil)
        #expect(try report([head()], long).endsAt == 0)
    }

    @Test func `say at an activity's first difference what differs there`() throws {
        let other = [head(), line(1), line(2, phase: "ended"), line(3, shown: "{}")]
        let report = try report([head(), line(1), line(2), line(3)], other)
        #expect(report.events == 3 && report.eventsDiffering == 2)
        #expect(report.activitiesDiffering == 1)
        let difference = try #require(report.differences.first)
        #expect(difference.position == 2 && difference.events == 2)
        #expect(difference.others == ["phase: live, ended"])
        #expect(difference.shown.isEmpty)
    }

    @Test func `say which fold fails, and where only the fold's own state differs`() throws {
        let failed = line(1, phase: nil, shown: nil, state: nil, blockage: "no such field")
        let first = try #require(
            try report([head(), line(1)], [head(), failed]).differences.first)
        #expect(first.others == ["fault: none, no such field", "phase: live, none"])
        #expect(first.shown.map(\.member) == ["stage"])
        let hidden = try report([head(), line(1)], [head(), line(1, state: "01")])
        #expect(
            hidden.differences.map(\.others) == [["the fold's own state, which nobody is shown"]])
    }

    @Test func `name twenty activities that differ and count the others once each`() throws {
        let lines = (Int64(1)...60).map { ($0, "order-\($0 % 30)") }
        let report = try report(
            [head()] + lines.map { line($0.0, $0.1) },
            [head()] + lines.map { line($0.0, $0.1, state: "01") })
        #expect(!report.isEqual)
        #expect(report.differences.count == 20)
        #expect(report.activitiesDiffering == 30)
        #expect(report.eventsDiffering == 60)
        #expect(report.differences.allSatisfy { $0.events == 2 })
    }
}
