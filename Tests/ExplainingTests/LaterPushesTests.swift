import Domain
import EventStore
@testable import Explaining
import Foundation
import Testing

private let start: Int64 = 1_800_000_000

/// A change of an order or a match, and the result of its push.
private func row(
    _ version: Int64, _ title: String? = nil, _ alertContext: AlertContext? = nil,
    accepted: Int = 0,
    failed: Int = 0, completedAfter seconds: Int64 = 1, with carrier: Int64? = nil
) -> LedgerRow {
    let decision = Decision(
        activityID: ActivityID(rawValue: "a"), version: version, position: version,
        verdict: title == nil ? .timely : .alert, rule: "sample", reason: "Because.",
        alert: title.map { Alert(title: $0, body: "B") }, contentState: Data("{}".utf8),
        decidedAt: Moment(unixSeconds: start + version), alertContext: alertContext)
    return LedgerRow(
        decision: decision,
        outcome: LedgerRow.Outcome(
            carriedBy: carrier ?? version, timestamp: start + version, accepted: accepted,
            failed: failed, completedAt: Moment(unixSeconds: start + version + seconds)))
}

private func extent(_ minutes: Double) -> AlertContext.Extent {
    AlertContext.Extent(seconds: minutes * 60, stepSeconds: 600)
}

private func amending(to minutes: Double, _ title: String) -> AlertContext {
    var alertContext = AlertContext()
    alertContext.amendments = [
        AlertContext.Amendment(
            subject: "delay", alert: Alert(title: title, body: "B"), extent: extent(minutes))
    ]
    return alertContext
}

private let delay = AlertContext.newest("delay", extent(67), heardSeconds: 0)
private let goal = AlertContext(weight: 1, subject: "goal/1")

private func span(_ after: Int64, _ through: Int64) -> PhonesBehind.Span {
    PhonesBehind.Span(after: after, through: through)
}

private func text(
    _ version: Int64, _ rows: [LedgerRow], _ behind: [PhonesBehind.Span: Int], last: Int64 = 10
) -> String {
    let later = LaterPushes(PhonesBehind(behind, lastTimestamp: start + last), among: rows)
    return rows.filter { $0.decision.version == version }
        .flatMap { $0.outcomeSentences(later: later) }.joined(separator: " ")
}

struct `What a later push said` {
    @Test func `is an alert in the words that a change since has put it in`() {
        let rows = [
            row(1, accepted: 1), row(2, "67 minutes", delay, failed: 1),
            row(3, nil, amending(to: 50, "50 minutes"), failed: 1),
        ]
        let heard = "A later push brought it to that one, with the alert “50 minutes” – “B”."
        #expect(text(2, rows, [span(1, 3): 1]).hasSuffix(heard))
        #expect(text(3, rows, [span(1, 3): 1]).hasSuffix(heard))
        let alone = text(2, Array(rows.prefix(2)), [span(1, 2): 1])
        #expect(alone.hasSuffix("with the alert “67 minutes” – “B”."), "\(alone)")
    }

    @Test func `is nothing of what was taken back, or fell to what had been heard of`() {
        let back = row(4, nil, AlertContext(withdrawing: ["goal/1"]), failed: 2)
        let nothing = "brought it to those, without an alert, as nothing was left to say."
        let match = [row(3, "Goal", goal, failed: 2), back]
        #expect(text(3, match, [span(2, 4): 2]).hasSuffix(nothing))
        // Of a change that had nothing to say it goes without saying.
        #expect(text(4, match, [span(2, 4): 2]).hasSuffix("A later push brought it to those."))
        let order = [
            row(3, "67 minutes", delay, failed: 2), row(4, nil, amending(to: 0, "0"), failed: 2),
        ]
        #expect(text(3, order, [span(2, 4): 2]).hasSuffix(nothing))
    }

    @Test func `is worked out for the most phones, where they missed changes at many places`() {
        let rows = (1...120).map { row($0, "Goal \($0)", goal, failed: 200) }
        var behind: [PhonesBehind.Span: Int] = [:]
        for through: Int64 in 2...60 { behind[span(1, through)] = through > 55 ? 9 : 1 }
        let later = LaterPushes(PhonesBehind(behind, lastTimestamp: start + 200), among: rows)
        let groups = later.groups(brought: 2)
        #expect(groups.map(\.phones).reduce(0, +) == behind.values.reduce(0, +))
        let unknown = groups.first { $0.said == .unknown }
        #expect(unknown?.phones == behind.count - Limits.spansMax)
    }

    @Test func `is counted for each text, where phones were sent different words`() {
        let rows = [
            row(2, "67 minutes", delay, accepted: 1, failed: 3),
            row(3, nil, amending(to: 50, "50 minutes"), accepted: 4),
        ]
        let behind = [span(1, 2): 1, span(1, 3): 2]
        #expect(
            text(2, rows, behind).hasSuffix(
                "APNs accepted it for 1 of 4 phones, and not for 3, by 2027-01-15T08:00:03Z. "
                    + "A later push brought it to those: to 2 with the alert “50 minutes” – “B”; "
                    + "to 1 with the alert “67 minutes” – “B”."))
        // The push that brought it to some was without an alert for the others.
        #expect(
            text(3, rows, behind).hasSuffix(
                "To 2 phones that had missed an earlier push it went with the alert "
                    + "“50 minutes” – “B”."))
        // Of more phones than it failed for, nobody knows which they are.
        let more = text(2, rows, [span(1, 2): 2, span(1, 3): 3])
        #expect(more.contains("those: to some with the alert “50 minutes”"), "\(more)")
    }

    @Test func `is what is surely known of when it came`() {
        let fresh = [row(2, "67 minutes", delay, failed: 1)]
        let minutes = "10 minutes of the change."
        let perhaps = text(2, fresh, [span(1, 2): 1], last: 5_000)
        #expect(perhaps.hasSuffix("alert “67 minutes” – “B” if it came within \(minutes)"))
        let next = fresh + [row(900, accepted: 1)]
        #expect(text(2, next, [span(1, 2): 1], last: 5_000).hasSuffix("within \(minutes)"))
        let soon = fresh + [row(60, accepted: 1)]
        #expect(text(2, soon, [span(1, 2): 1], last: 5_000).hasSuffix("“67 minutes” – “B”."))
        let late = [row(2, "67 minutes", delay, failed: 1, completedAfter: 700)]
        #expect(
            text(2, late, [span(1, 2): 1], last: 5_000).hasSuffix(
                "without an alert, as it came more than 10 minutes after the change."))
    }

    @Test func `is not known of a phone that has registered since, nor beyond what is read`() {
        let rows = [row(2, "67 minutes", delay, failed: 1)]
        let unknown = "that one, with an alert or without, which is not known any more."
        let since = PhonesBehind.Span(after: 1, through: 2, registeredSince: true)
        #expect(text(2, rows, [since: 1]).hasSuffix(unknown))
        #expect(text(2, rows, [span(1, 9): 1]).hasSuffix(unknown))
    }

    @Test func `is a correction also of what it went with, which was tried and may have been seen`()
    {
        let noGoal = AlertContext(weight: 1, withdrawing: ["goal/1"], isCorrection: true)
        let rows = [
            row(2, "Goal", goal, failed: 1, with: 3), row(3, "No goal", noGoal, failed: 1),
        ]
        let heard = text(2, rows, [span(1, 3): 1])
        #expect(heard.hasSuffix("with the alert “No goal” – “B”."), "\(heard)")
    }
}
