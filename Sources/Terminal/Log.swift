public import Domain
import EventLoop
import Foundation
import Glibc
import JSON

/// Log lines on standard error: `2026-05-01T12:00:00.123Z level message key=value …`, or one JSON
/// object each, or what journald takes apart by itself.
///
/// Callers pass no tokens, keys or names; there is no level that would print them.
public struct Log: Sendable {
    public enum Level: String, CaseIterable, Comparable, Sendable {
        /// For somebody who looks for an error.
        case debug
        /// Something began, ended or is well again.
        case info
        /// Goes on without help, and should not happen often.
        case warning
        /// Needs somebody's hand, or a caller did not get an answer.
        case error

        public static func < (left: Level, right: Level) -> Bool { left.priority > right.priority }

        /// As syslog and journald count: the worse, the less.
        var priority: Int {
            switch self {
            case .debug: 7
            case .info: 6
            case .warning: 4
            case .error: 3
            }
        }
    }

    public enum Format: String, CaseIterable, Sendable {
        case text, json
        /// Without the time, which journald writes, and with the level as it understands it.
        case journald

        /// What suits the reader of standard error.
        /// - Parameter journal: what systemd says of that, in `JOURNAL_STREAM`.
        static func fitting(journal: String?) -> Format {
            guard let journal else { return .text }
            var facts = stat()
            guard fstat(2, &facts) == 0, journal == "\(facts.st_dev):\(facts.st_ino)" else {
                return .text
            }
            return .journald
        }
    }

    private let lowest: Lock<Level>
    private let repeats = Lock(LogRepeats())
    private let lasting = Lock(LastingErrors())
    private let node: String?
    private let format: Format
    /// Lines that nothing took, since one was written.
    private let lost = Lock(0)
    /// False when nothing took the line.
    private let write: @Sendable (String) -> Bool

    /// After so long a reader that takes nothing counts as stuck, and no part of the node waits for
    /// it any more.
    private static let stuckMillis: Int32 = 5_000

    /// - Parameters:
    ///   - node: named at the end of each line.
    ///   - format: nil for what suits its reader.
    ///   - write: false when nothing took the line; nil for standard error.
    public init(
        lowest: Level, node: String? = nil, format: Format? = nil,
        write: (@Sendable (String) -> Bool)? = nil
    ) {
        self.lowest = Lock(lowest)
        self.node = node
        let journal = ProcessInfo.processInfo.environment["JOURNAL_STREAM"]
        self.format = format ?? .fitting(journal: journal)
        self.write = write ?? Self.toStandardError
    }

    @Sendable private static func toStandardError(_ line: String) -> Bool {
        WrittenDescriptor.standardError.write(line + "\n", waitMillisMax: stuckMillis) == nil
    }

    /// From now on another level is the lowest that is written, for all copies.
    /// - Returns: false when it is the same.
    public func change(lowest level: Level) -> Bool {
        lowest.withLock { lowest in
            defer { lowest = level }
            return lowest != level
        }
    }

    public func callAsFunction(_ level: Level, _ message: String, _ fields: [String: String] = [:])
    {
        guard level >= lowest.withLock({ $0 }) else { return }
        put(line(level, message, fields))
    }

    /// Once lines are taken again, the first says how many were not.
    private func put(_ line: String) {
        lost.withLock { lost in
            let notice = "lines of this log are missing here: nothing took them"
            if lost > 0, write(self.line(.warning, notice, ["lines": "\(lost)"])) { lost = 0 }
            if lost > 0 || !write(line) { lost += 1 }
        }
    }

    private func line(_ level: Level, _ message: String, _ fields: [String: String]) -> String {
        switch format {
        case .text:
            "\(WallClock.now().rfc3339) \(level.rawValue) \(message.inOneLine)\(words(fields))"
        case .journald: "<\(level.priority)>\(message.inOneLine)\(words(fields))"
        case .json: json(level, message, fields)
        }
    }

    /// For what may fail thousands of times a second for one reason: a line every ten seconds, with
    /// how often it happened in between.
    /// - Parameter key: equal for what is one error.
    public func rarely(
        _ level: Level, _ message: String, _ fields: [String: String] = [:], key: String,
        at moment: ContinuousClock.Instant = .now
    ) {
        guard let left = repeats.withLock({ $0.note("\(message) \(key)", at: moment) }) else {
            return
        }
        self(level, message, left > 0 ? fields.merging(["repeated": "\(left)"]) { $1 } : fields)
    }

    /// Likewise for what mostly passes by itself and comes again until it has: a warning, and an
    /// error once it has stood for half a minute.
    /// - Parameters:
    ///   - key: equal for what is one error.
    ///   - passedAfterSeconds: it has passed when it has not come for so long.
    public func passing(
        _ message: String, _ fields: [String: String] = [:], key: String,
        passedAfterSeconds: Double = Log.passedAfterSeconds,
        at moment: ContinuousClock.Instant = .now
    ) {
        let level = lasting.withLock {
            $0.level(of: message, at: moment, passedAfter: passedAfterSeconds)
        }
        rarely(level, message, fields, key: key, at: moment)
    }

    /// All but what is done by the hour is tried again within a few seconds.
    public static let passedAfterSeconds: Double = 60

    private func words(_ fields: [String: String]) -> String {
        var text = ""
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            text += " \(name)=\(Self.quoted(value))"
        }
        return node.map { "\(text) node=\($0)" } ?? text
    }

    /// Whatever is in a value, it begins no other line and no other field.
    private static func quoted(_ value: String) -> String {
        let isPlain =
            !value.isEmpty
            && value.unicodeScalars.allSatisfy { $0 != " " && $0 != "\"" && !$0.isControlOrLineEnd }
        if isPlain { return value }
        // By scalars: a quote and an accent behind it are one character.
        let escaped = value.inOneLine.unicodeScalars.reduce(into: "") { text, scalar in
            if scalar == "\\" || scalar == "\"" { text.unicodeScalars.append("\\") }
            text.unicodeScalars.append(scalar)
        }
        return "\"\(escaped)\""
    }

    private func json(_ level: Level, _ message: String, _ fields: [String: String]) -> String {
        var members = [("time", WallClock.now().rfc3339), ("level", level.rawValue)]
        members.append(("message", message))
        if let node { members.append(("node", node)) }
        members += fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        var bytes: [UInt8] = []
        JSON.object(members.map { JSON.Member(name: $0.0, value: .string($0.1)) })
            .append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The one place where the program reads the time of day.
public enum WallClock {
    public static func now() -> Moment {
        Moment(microseconds: Int64((Date().timeIntervalSince1970 * 1_000_000).rounded()))
    }
}

extension Unicode.Scalar {
    /// Ends a line or tells a terminal what to do, and is not for people to read.
    public var isControlOrLineEnd: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
