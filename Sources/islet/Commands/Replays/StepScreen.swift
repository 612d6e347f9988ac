import Domain
import Explaining
import Projections
import Replay
import Terminal

/// One event of a walk as a screen of text.
struct StepScreen {
    var walk: TimelineWalk
    var size: (columns: Int, rows: Int)
    var paint: Paint
    /// What is being typed.
    var prompt: String?
    var remark: String?

    private static let keys =
        "n next  b back  g version or time  a next alert  f until a field changes  q end"

    /// Drawn over what was there, so that nothing flickers.
    var text: String {
        let body = Array(lines.prefix(max(1, size.rows - 2)))
        let filled = body + Array(repeating: "", count: max(0, size.rows - 1 - body.count))
        let bottom = prompt.map { $0 + "_" } ?? remark ?? Self.keys
        let all = filled + [paint(.bold, bottom.shown(size.columns - 1))]
        return "\u{1B}[H" + all.map { $0 + "\u{1B}[K" }.joined(separator: "\r\n")
    }

    /// Without the bottom line, none wider than the screen.
    var lines: [String] {
        let entry = walk.entry
        let event = entry.event
        let count = walk.timeline.entries.count
        let title =
            "\(walk.timeline.activityID)  v\(entry.version)  (\(walk.index + 1) of \(count))"
        var lines = [paint(.bold, cut(title))]
        lines.append(cut("\(event.event.type)  \(event.event.occurredAt.rfc3339)"))
        lines.append(
            paint(
                .dim,
                cut(
                    "recorded \(event.recordedAt.rfc3339), "
                        + TimelineText.lateness(entry.latenessSeconds))))
        lines.append("")
        lines += changes(entry)
        lines.append("")
        if let (label, reason) = TimelineText.unfolded(entry) {
            lines += wrap(label, reason)
        }
        for view in TimelineText.views(entry.presentation, at: event.recordedAt) {
            lines += wrap(view.name, view.text)
        }
        lines.append("")
        // Without colours: lines are cut by their letters.
        let plain = TimelineText(
            paint: Paint("never", isTerminal: false, environment: [:]),
            hasLedger: walk.timeline.hasLedger, later: walk.timeline.later)
        for row in plain.decided(entry) { lines += wrap(row.name, row.text) }
        return lines
    }

    private func changes(_ entry: Timeline.Entry) -> [String] {
        guard !entry.changes.isEmpty else { return [cut("nothing changes on the card")] }
        // What follows should find its place on the smallest screen.
        let room = max(3, size.rows - 18)
        var lines = entry.changes.prefix(room).map { change in
            cut("\(change.member): \(change.before ?? "–") → \(change.after ?? "–")")
        }
        if entry.changes.count > room { lines.append(cut("… \(entry.changes.count - room) more")) }
        return lines
    }

    private func cut(_ text: String) -> String { text.shown(size.columns) }

    /// At spaces where there are some.
    private func wrap(_ label: String, _ text: String) -> [String] {
        var lines: [String] = []
        var rest = Substring(TimelineText.label(label) + text)
        while true {
            let prefix = lines.isEmpty ? "" : String(repeating: " ", count: TimelineText.labelWidth)
            // In the narrowest of windows a letter a line, and still an end.
            let room = max(1, size.columns - prefix.count)
            guard rest.count > room else {
                lines.append(prefix + rest)
                return lines.map(cut)
            }
            let head = rest.prefix(room)
            let end = head.lastIndex(of: " ").flatMap { $0 > head.startIndex ? $0 : nil }
            let line = end.map { head[..<$0] } ?? head
            lines.append(prefix + line)
            rest = rest[line.endIndex...].drop { $0 == " " }
        }
    }
}
