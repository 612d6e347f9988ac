import Domain
import EventStore
import Explaining
import Foundation
import Glibc
import Projections
import Replay
import Terminal

/// A timeline for a person.
struct TimelineText {
    let paint: Paint
    /// False for an export, which does not have the results of decisions.
    let hasLedger: Bool
    var later = LaterPushes()

    /// - Parameter moment: when the card's clocks are read; nil for when the event was recorded.
    func lines(_ entry: Timeline.Entry, at moment: Moment?) -> [String] {
        let event = entry.event
        var lines = [
            "",
            paint(.bold, "v\(event.version)  \(event.event.occurredAt.rfc3339)")
                + "  \(event.event.type.shown())  "
                + paint(
                    .dim, "(position \(event.position), \(Self.lateness(entry.latenessSeconds)))"),
        ]
        lines += entry.changes.map(change)
        if let (label, reason) = Self.unfolded(entry) {
            lines.append("    \(paint(.yellow, label))\(Self.padding(label))\(reason)")
        }
        let views = Self.views(entry.presentation, at: moment ?? event.recordedAt)
        return lines + (views + decided(entry)).map { "    \(Self.label($0.name))\($0.text)" }
    }

    private func change(_ change: MemberChange) -> String {
        "    \(change.member): \(paint(.red, change.before ?? "–")) → "
            + paint(.green, change.after ?? "–")
    }

    /// What a line begins with, up to where its text stands.
    static func label(_ text: String) -> String { text + padding(text) }

    private static func padding(_ text: String) -> String {
        String(repeating: " ", count: max(1, labelWidth - text.count))
    }

    static let labelWidth = 9

    /// Why an event changes nothing, and what that is called; nil when it is folded.
    static func unfolded(_ entry: Timeline.Entry) -> (label: String, reason: String)? {
        if entry.isSkipped { return ("SKIPPED", "it could not be folded; an operator left it out") }
        return entry.parked.map { ("PARKED", $0) }
    }

    static func lateness(_ seconds: Double) -> String {
        switch seconds {
        case ..<0: "recorded before it happened"
        case ..<1: "in time"
        default: "\(Moment.words(forSeconds: seconds)) late"
        }
    }

    /// What each view of the card shows, in words.
    static func views(
        _ presentation: Presentation?, at now: Moment
    ) -> [(name: String, text: String)] {
        guard let presentation else { return [] }
        func words(_ lines: [Presentation.Line]) -> String {
            let shown = lines.map { $0.reading(at: now) }.filter { !$0.isEmpty }
            return shown.isEmpty ? "–" : shown.joined(separator: " · ")
        }
        let expanded = presentation.expanded
        return [
            ("shows", words(presentation.lockScreen)),
            (
                "compact",
                words([presentation.compactLeading]) + " | "
                    + words([presentation.compactTrailing])
                    + "   minimal  " + words([presentation.minimal])
            ),
            (
                "expanded",
                words([expanded.leading, expanded.center, expanded.trailing, expanded.bottom])
            ),
        ]
    }

    /// What was decided and what came of it; nothing of an event that is not folded.
    func decided(_ entry: Timeline.Entry) -> [(name: String, text: String)] {
        guard let decision = entry.decision else { return [] }
        let verdict = paint(decision.verdict.colour, decision.verdict.words)
        let alert = paint(.bold, Self.alert(of: decision))
        var rows = [(name: "decided", text: verdict + decision.grounds + alert)]
        if let budget = Self.budget(decision) { rows.append(("budget", budget)) }
        if hasLedger { rows.append(("outcome", Self.outcome(entry, later))) }
        if let today = Self.today(entry) { rows.append(("today", today)) }
        return rows
    }

    static func alert(of decision: Decision) -> String {
        decision.alert.map { " “\($0.title): \($0.body)”" } ?? ""
    }

    /// What the push took from the budgets, and how it went out; nil for what is not sent.
    static func budget(_ decision: Decision) -> String? {
        guard let order = decision.order else { return nil }
        let priorities =
            order.isImmediate == order.isImmediateForFrequent
            ? "priority \(order.isImmediate ? 10 : 5)"
            : "priority 5, with frequent updates 10"
        let wait = order.sendAfter.map { ", not before \($0.rfc3339)" } ?? ""
        guard let budget = order.budget else { return priorities + wait }
        func change(_ before: Double, _ after: Double) -> String {
            before == after ? number(before) : "\(number(before)) → \(number(after))"
        }
        return "\(priorities)\(wait); left of priority 10: "
            + change(budget.before.standard, budget.after.standard) + ", with frequent updates "
            + change(budget.before.frequent, budget.after.frequent)
    }

    private static func number(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded(.down))
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }

    static func outcome(_ entry: Timeline.Entry, _ later: LaterPushes) -> String {
        guard let ledger = entry.ledger else { return "It is not folded yet." }
        let timestamp = ledger.outcome?.timestamp.map { " (timestamp \($0))" } ?? ""
        let sentences = ledger.outcomeSentences(later: later, text: entry.text)
        return sentences.joined(separator: " ") + timestamp
    }

    /// What the log gives now instead of what was decided then; nil when it gives the same.
    static func today(_ entry: Timeline.Entry) -> String? {
        guard let today = entry.today else { return nil }
        let changes = entry.restated.map {
            "\($0.member) \($0.before ?? "–") → \($0.after ?? "–")"
        }
        return "the log gives “\(today.verdict.words)” by \(today.rule)\(alert(of: today))"
            + (changes.isEmpty ? "" : "; on the card \(changes.joined(separator: ", "))")
    }

    /// - Parameter exportEnd: the last position of the export that it was read from; nil for a
    ///   database, and where no other export can go on with it.
    func summary(_ timeline: Timeline, exportEnd: Int64? = nil) -> String {
        var counts = Verdict.allCases.compactMap { verdict in
            let count = timeline.entries.count { $0.decision?.verdict == verdict }
            return count == 0 ? nil : "\(count) \(verdict.words)"
        }
        let parked = timeline.entries.count { $0.parked != nil }
        if parked > 0 { counts.append("\(parked) parked") }
        let skipped = timeline.entries.count { $0.isSkipped }
        if skipped > 0 { counts.append("\(skipped) skipped") }
        return "\(timeline.activityID): \(timeline.entries.count.counted("event")); "
            + counts.joined(separator: "; ") + Self.cut(timeline, exportEnd)
    }

    /// What may follow is in another export. Where the end was reported, and the clock alone has
    /// not confirmed it, none is missing: no file of somebody else's has what a clock reports.
    private static func cut(_ timeline: Timeline, _ exportEnd: Int64?) -> String {
        guard let exportEnd, let snapshot = timeline.entries.last?.snapshot,
            snapshot.phase != .ended,
            (try? ActivityCatalog.standard.lifetime(of: snapshot))?.pendingEnd == nil
        else { return "" }
        return "\nThe export ends at position \(exportEnd), before \(timeline.activityID) has "
            + "ended: if another export follows, give it too, by one more --from."
    }

    /// One line a phone.
    func phones(_ rows: [PhoneRow]) -> String {
        guard !rows.isEmpty else { return "no phone was ever registered" }
        return Table.text(
            ["phone", "app", "language", "registered", "last accepted", "now"],
            rows.map { row in
                [
                    "\(row.id)", "\(row.bundleID) (\(row.environment))", row.locale ?? "–",
                    row.registeredAt.rfc3339,
                    row.sentVersion == 0 ? "nothing" : "v\(row.sentVersion)", Self.state(row),
                ]
            })
    }

    private static func state(_ row: PhoneRow) -> String {
        if let closed = row.closedAt {
            return "closed at \(closed.rfc3339): \(row.closedBy ?? "")"
        }
        if let dead = row.deadAt {
            guard row.isUnfit else { return "token dead since \(dead.rfc3339)" }
            return
                "left alone since \(dead.rfc3339), until it registers again: the token is not of "
                + "its app and environment (\(row.lastFailure ?? ""))"
        }
        let failure = row.lastFailure.map { " (\($0))" } ?? ""
        if let owed = row.owedAt, owed.unixSeconds > 0 {
            return "owed the newest state from \(owed.rfc3339)\(failure)"
        }
        if row.owedAt != nil { return "owed the newest state\(failure)" }
        guard row.attempts > 0 else { return "up to date" }
        return "\(row.attempts.counted("attempt")) failed\(failure)"
    }
}

extension Console {
    /// What the command's option, the environment and the terminal say about colours.
    static func paint(_ arguments: Arguments) -> Paint {
        Paint(
            arguments.text("color"), isTerminal: isatty(1) == 1,
            environment: ProcessInfo.processInfo.environment)
    }
}
