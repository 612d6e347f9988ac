import Domain
public import Explaining
public import Foundation

/// Compares what two programs' folds made of one log.
public struct FoldComparison {
    public struct Report: Hashable, Codable, Sendable {
        public var first: FoldTrace.Head
        public var second: FoldTrace.Head
        public var events = 0
        /// Position of the last of them where only one of the traces goes on: the log grew after
        /// the other one was made.
        public var endsAt: Int64?
        /// Events of which the folds do not make the same.
        public var eventsDiffering = 0
        public var activitiesDiffering = 0
        /// By the position of the event that made them differ.
        public var differences: [Difference] = []

        public var isEqual: Bool { eventsDiffering == 0 }
    }

    /// One activity, at the first event of which the folds did not make the same.
    public struct Difference: Hashable, Codable, Sendable {
        public var activity: String
        public var version: Int64
        public var position: Int64
        public var type: String
        /// What phones are shown: by the first fold, and by the second.
        public var shown: [MemberChange]
        /// What else differs, such as `decision: alert by arriving, quiet by located`.
        public var others: [String]
        /// Events of the activity that differ.
        public var events = 1
    }

    private var report: Report
    /// Position of the last event that was taken.
    private var last: Int64 = 0
    private var known: [ByteKey: Int] = [:]
    private var unnamed: Set<ByteKey> = []

    /// - Parameters:
    ///   - first, second: lines of each trace, one at a time; nil at the end. What only one of
    ///     them has behind the other's end is left out.
    /// - Throws: `.trace` when one is no trace, or they are not of the same log.
    public static func compare(
        _ first: () throws(ReplayError) -> Data?, _ second: () throws(ReplayError) -> Data?
    ) throws(ReplayError) -> Report {
        var comparison = FoldComparison(
            report: Report(first: try head(try first()), second: try head(try second())))
        guard comparison.report.first.tenant == comparison.report.second.tenant else {
            throw .trace(
                "one is of \(comparison.report.first.tenant), the other of "
                    + "\(comparison.report.second.tenant); compare folds of the same log")
        }
        while true {
            switch (try line(try first()), try line(try second())) {
            case (nil, nil): return comparison.report
            case (let left?, let right?):
                guard left.position == right.position, left.version == right.version,
                    left.activity.hasBytes(of: right.activity)
                else { throw .trace("they are not of the same log: \(mismatch(left, right))") }
                comparison.take(left, right)
            case (_?, nil), (nil, _?):
                comparison.report.endsAt = comparison.last
                return comparison.report
            }
        }
    }

    /// What shows that two lines are of other logs.
    private static func mismatch(_ left: FoldTrace.Line, _ right: FoldTrace.Line) -> String {
        guard left.position == right.position else {
            return "one goes on with position \(left.position), the other with \(right.position)"
        }
        return "at position \(left.position) one has \(left.activity) v\(left.version), the other "
            + "\(right.activity) v\(right.version). A redacted export has other ids than its log: "
            + "compare two traces of it"
    }

    private static func head(_ line: Data?) throws(ReplayError) -> FoldTrace.Head {
        guard let line, let head = try? JSONDecoder().decode(FoldTrace.Head.self, from: line),
            head.format == FoldTrace.Head.format
        else { throw .trace("it is not what islet replay trace writes") }
        guard head.formatVersion == FoldTrace.Head.formatVersion else {
            throw .trace(
                "it has format version \(head.formatVersion), which this version of Islet does "
                    + "not know")
        }
        return head
    }

    private static func line(_ data: Data?) throws(ReplayError) -> FoldTrace.Line? {
        guard let data else { return nil }
        guard let line = try? JSONDecoder().decode(FoldTrace.Line.self, from: data) else {
            throw .trace("a line of it is damaged")
        }
        return line
    }

    private mutating func take(_ left: FoldTrace.Line, _ right: FoldTrace.Line) {
        report.events += 1
        last = left.position
        guard left != right else { return }
        report.eventsDiffering += 1
        if let index = known[ByteKey(left.activity)] {
            report.differences[index].events += 1
        } else if report.differences.count < Limits.differencesNamedMax {
            known[ByteKey(left.activity)] = report.differences.count
            report.differences.append(Difference(left, right))
            report.activitiesDiffering += 1
        } else if unnamed.insert(ByteKey(left.activity)).inserted {
            report.activitiesDiffering += 1
        }
    }
}

extension FoldComparison.Difference {
    fileprivate init(_ left: FoldTrace.Line, _ right: FoldTrace.Line) {
        let changes = StateDifference.between(
            left.shown.map { Data($0.utf8) }, Data((right.shown ?? "{}").utf8))
        let others = [
            ("fault", left.blockage, right.blockage), ("phase", left.phase, right.phase),
            ("decision", left.decision, right.decision),
        ].filter { $0.1 != $0.2 }.map { "\($0.0): \($0.1 ?? "none"), \($0.2 ?? "none")" }
        let isOnlyState = changes.isEmpty && others.isEmpty
        self.init(
            activity: left.activity, version: left.version, position: left.position,
            type: left.type, shown: changes,
            others: isOnlyState ? ["the fold's own state, which nobody is shown"] : others)
    }
}
