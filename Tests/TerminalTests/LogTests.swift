import EventLoop
import Foundation
import Testing

@testable import Terminal

private final class Lines: Sendable {
    private let lines = Lock<[String]>([])

    /// - Returns: that it is taken.
    func add(_ line: String) -> Bool {
        lines.withLock { $0.append(line) }
        return true
    }

    var all: [String] { lines.withLock { $0 } }
}

struct `A log line` {
    private func line(
        _ format: Log.Format, _ message: String, _ fields: [String: String] = [:]
    ) throws -> String {
        let lines = Lines()
        let log = Log(lowest: .info, node: "north", format: format) { lines.add($0) }
        log(.debug, "not this")
        log(.warning, message, fields)
        try #require(lines.all.count == 1)
        return lines.all[0]
    }

    @Test func `has time, level, message, fields by name, and the node`() throws {
        let text = try line(.text, "a host is away", ["why": "no answer in time", "host": "h:1"])
        let rest = try #require(
            text.wholeMatch(of: /\d{4}-\d\d-\d\dT[\d:.]+Z (.*)/)?.1)
        #expect(rest == #"warning a host is away host=h:1 why="no answer in time" node=north"#)
    }

    @Test func `stays one line with the fields it has, whatever a value has in it`() throws {
        let text = try line(
            .text, "a\nline", ["why": "x\" node=evil\n2026 error forged \\", "none": ""])
        #expect(!text.contains("\n"))
        let fields = #"none="" why="x\" node=evil 2026 error forged \\" node=north"#
        #expect(text.hasSuffix(" a line \(fields)"))
    }

    @Test func `ends a value only where it ends, with an accent behind a quote too`() throws {
        let text = try line(.text, "a", ["why": "x\"\u{301} node=evil"])
        #expect(text.hasSuffix(" a why=\"x\\\"\u{301} node=evil\" node=north"))
    }

    @Test func `is one JSON object when programs read it`() throws {
        let text = try line(.json, "a \"host\"", ["why": "line\nbreak", "tenant": "7"])
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: String])
        #expect(
            object.filter { $0.key != "time" } == [
                "level": "warning", "message": "a \"host\"", "node": "north", "tenant": "7",
                "why": "line\nbreak",
            ])
    }

    @Test(arguments: ["\u{1B}", "\u{7F}", "\u{85}", "\u{9B}", "\u{2028}"])
    func `lets no value tell a terminal what to do`(control: String) {
        let lines = Lines()
        let log = Log(lowest: .info, format: .text) { lines.add($0) }
        log(.warning, "a\(control)b", ["field": "c\(control)d"])
        #expect(lines.all.count == 1)
        #expect(lines.all.allSatisfy { !$0.contains(control) })
        #expect(lines.all.allSatisfy { $0.contains("a b field=\"c d\"") })
    }

    @Test func `begins with syslog's priority and without a time for journald`() throws {
        #expect(try line(.journald, "away") == "<4>away node=north")
        #expect(Log.Format.fitting(journal: nil) == .text)
        #expect(Log.Format.fitting(journal: "1:2") == .text, "another stream is the journal")
    }

    @Test func `is written from another level on for all copies`() {
        let lines = Lines()
        let log = Log(lowest: .info, format: .text) { lines.add($0) }
        let copy = log
        #expect(log.change(lowest: .error))
        #expect(!log.change(lowest: .error))
        copy(.warning, "not this")
        copy(.error, "this")
        #expect(lines.all.count == 1)
    }

    @Test func `is written from its level on, and the levels get worse in their order`() {
        #expect(Log.Level.allCases.sorted() == [.debug, .info, .warning, .error])
        for level in Log.Level.allCases {
            let lines = Lines()
            let log = Log(lowest: level, format: .journald) { lines.add($0) }
            for other in Log.Level.allCases { log(other, other.rawValue) }
            let written = lines.all.map { String($0.dropFirst(3)) }
            #expect(written == Log.Level.allCases.filter { $0 >= level }.map(\.rawValue))
        }
    }
}

struct `An error that repeats` {
    @Test func `is logged once in a while, with how often it happened`() {
        var repeats = LogRepeats()
        let start = ContinuousClock.now
        #expect(repeats.note("a", at: start) == 0)
        #expect(repeats.note("a", at: start + .seconds(1)) == nil)
        #expect(repeats.note("b", at: start + .seconds(1)) == 0)
        #expect(repeats.note("a", at: start + .seconds(9)) == nil)
        #expect(repeats.note("a", at: start + .seconds(10)) == 2)
        #expect(repeats.note("a", at: start + .seconds(21)) == 0)
    }

    @Test func `is logged each time when there are more than are remembered`() {
        var repeats = LogRepeats()
        let start = ContinuousClock.now
        for number in 0..<100 { #expect(repeats.note("\(number)", at: start) == 0) }
        #expect(repeats.note("one more", at: start) == 0)
        #expect(repeats.note("one more", at: start) == 0)
        #expect(repeats.note("later", at: start + .seconds(10)) == 0)
        #expect(repeats.note("later", at: start + .seconds(11)) == nil)
    }

    @Test func `is logged by itself, with how often it came since the last line`() {
        let lines = Lines()
        let log = Log(lowest: .info, format: .journald) { lines.add($0) }
        let start = ContinuousClock.now
        for (seconds, key) in [(0, "a"), (1, "a"), (2, "b"), (3, "a"), (11, "a"), (22, "a")] {
            log.rarely(
                .error, "lost", ["at": "\(seconds)"], key: key, at: start + .seconds(seconds))
        }
        log.rarely(.debug, "quiet", key: "a", at: start)
        #expect(
            lines.all == [
                "<3>lost at=0", "<3>lost at=2", "<3>lost at=11 repeated=2", "<3>lost at=22",
            ])
    }
}
