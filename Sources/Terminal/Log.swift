public import Domain
import EventLoop
import Foundation

/// Log lines on standard error: `2026-05-01T12:00:00.123Z level message key=value …`.
///
/// Callers pass no tokens, keys or names; there is no level that would print them.
public struct Log: Sendable {
    public enum Level: String, CaseIterable, Comparable, Sendable {
        case debug, info, warning, error

        public static func < (left: Level, right: Level) -> Bool {
            (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
        }
    }

    public static let levelNames = Level.allCases.map(\.rawValue)

    private let lowest: Level
    private let node: String?
    private let write: @Sendable (String) -> Void

    /// - Parameter node: named at the end of each line.
    public init(
        lowest: Level, node: String? = nil,
        write: @escaping @Sendable (String) -> Void = { Console.note($0) }
    ) {
        self.lowest = lowest
        self.node = node
        self.write = write
    }

    public func callAsFunction(_ level: Level, _ message: String, _ fields: [String: String] = [:])
    {
        guard level >= lowest else { return }
        var line = "\(WallClock.now().rfc3339) \(level.rawValue) \(message)"
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            line += value.contains(" ") ? " \(name)=\"\(value)\"" : " \(name)=\(value)"
        }
        write(node.map { "\(line) node=\($0)" } ?? line)
    }
}

/// The one place where the program reads the time of day.
public enum WallClock {
    public static func now() -> Moment {
        Moment(microseconds: Int64((Date().timeIntervalSince1970 * 1_000_000).rounded()))
    }
}
