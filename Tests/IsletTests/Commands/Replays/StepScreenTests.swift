import Domain
import Explaining
import Foundation
import Terminal
import Testing

@testable import Replay
@testable import islet

private let activity = ActivityID(rawValue: "order-1")

private func event(_ version: Int64) -> RecordedEvent {
    let time = Moment(unixSeconds: 1_800_000_000)
    return RecordedEvent(
        tenant: TenantID(rawValue: 1), position: version, version: version,
        recordedAt: time.adding(seconds: 90),
        event: NewEvent(
            id: "\(version)", source: "/till", type: "PizzaDelivery.OrderAccepted",
            activityID: activity, occurredAt: time, data: Data("{}".utf8)))
}

/// A timeline of one event that changes so many members, and of one that changes nothing.
private func walk(changes: Int, parked: String? = nil) -> TimelineWalk {
    let members = (0..<changes).map { #""member\#($0 + 10)":\#($0)"# }.joined(separator: ",")
    var first = Timeline.Entry(event: event(1))
    first.changes = StateDifference.between(nil, Data("{\(members)}".utf8))
    first.parked = parked
    return TimelineWalk(
        Timeline(activityID: activity, entries: [first, Timeline.Entry(event: event(2))]))
}

private func screen(
    _ walk: TimelineWalk, columns: Int = 80, rows: Int = 24, prompt: String? = nil,
    remark: String? = nil
) -> StepScreen {
    StepScreen(
        walk: walk, size: (columns, rows),
        paint: Paint("never", isTerminal: false, environment: [:]), prompt: prompt,
        remark: remark)
}

/// As a terminal has them, without what clears the rest of each.
private func drawn(_ screen: StepScreen) -> [String] {
    screen.text.components(separatedBy: "\r\n").map { $0.replacing("\u{1B}[K", with: "") }
}

struct `The screen of a walk` {
    @Test func `says where one is, what happened, and what it changed`() {
        var going = walk(changes: 2)
        #expect(
            screen(going).lines == [
                "order-1  v1  (1 of 2)", "PizzaDelivery.OrderAccepted  2027-01-15T08:00:00Z",
                "recorded 2027-01-15T08:01:30Z, 90 seconds late", "", "member10: – → 0",
                "member11: – → 1", "", "",
            ])
        let hasMoved = going.next()
        #expect(hasMoved)
        let lines = screen(going).lines
        #expect(lines.first == "order-1  v2  (2 of 2)")
        #expect(lines.contains("nothing changes on the card"))
    }

    @Test func `leaves room for what follows, and counts what it leaves out`() {
        let lines = screen(walk(changes: 9), rows: 24).lines
        #expect(lines.filter { $0.hasPrefix("member") }.count == 6)
        #expect(lines.contains("… 3 more"))
        let tall = screen(walk(changes: 9), rows: 27).lines
        #expect(tall.filter { $0.hasPrefix("member") }.count == 9)
        #expect(!tall.contains { $0.hasSuffix("more") })
        let low = screen(walk(changes: 9), rows: 1).lines
        #expect(low.filter { $0.hasPrefix("member") }.count == 3)
    }

    @Test func `breaks what is long between words, below its label`() {
        let reason = "the field promisedAt is no time with a zone"
        let lines = screen(walk(changes: 1, parked: reason), columns: 30).lines
        #expect(
            lines.suffix(4) == [
                "PARKED   the field promisedAt", "         is no time with a", "         zone", "",
            ])
        // Where there is no space it is broken anywhere.
        let word = screen(walk(changes: 1, parked: "abcdefghijkl"), columns: 15).lines
        #expect(word.suffix(4) == ["PARKED  ", "         abcdef", "         ghijkl", ""])
    }

    @Test func `fills a terminal of any size, and is nowhere wider`() {
        let reason = "a field 🍕 has no name and " + String(repeating: "x", count: 50)
        for columns in [1, 2, 9, 10, 26, 40, 80, 200] {
            for rows in [1, 2, 3, 20, 24, 60] {
                for isFirst in [true, false] {
                    var going = walk(changes: 12, parked: reason)
                    if !isFirst { _ = going.next() }
                    let view = screen(going, columns: columns, rows: rows)
                    #expect(view.text.hasPrefix("\u{1B}[H"))
                    let lines = drawn(view)
                    #expect(lines.count == max(rows, 2), "\(columns) × \(rows)")
                    let widest = lines.map { $0.replacing("\u{1B}[H", with: "").count }.max() ?? 0
                    #expect(widest <= columns, "\(columns) × \(rows): \(lines)")
                    let body = view.lines.map(\.count).max() ?? 0
                    #expect(body <= columns, "\(columns) × \(rows)")
                }
            }
        }
    }

    @Test func `has what is typed on its last line, or a remark, or else the keys`() {
        let going = walk(changes: 1)
        let keys = drawn(screen(going)).last ?? ""
        #expect(keys.hasPrefix("n next  b back  g version"))
        let remarked = screen(going, remark: "This is the last event.")
        #expect(drawn(remarked).last == "This is the last event.")
        let asking = screen(going, prompt: "version or time: 7", remark: "not this")
        #expect(drawn(asking).last == "version or time: 7_")
    }

    @Test func `lets nobody's text tell the terminal what to do`() {
        let hostile = screen(walk(changes: 1, parked: "no\u{1B}[2J\u{9B}31mway\r\nout"))
        let shown = drawn(hostile).dropFirst().joined()
        let hasControls = shown.unicodeScalars.contains { $0.isControlOrLineEnd }
        #expect(!hasControls, "\(shown)")
    }
}
