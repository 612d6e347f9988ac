import DeliveryRules
public import Domain
import Encodings
public import Foundation
import JSON
import Projections

/// What one program's fold makes of a log, event by event, so that another program's can be
/// compared with it: lines of JSON, the first of which says who wrote them.
public enum FoldTrace {
    /// The first line.
    public struct Head: Codable, Hashable, Sendable {
        public static let format = "islet-folds"
        public static let formatVersion = 1

        public var format = Self.format
        public var formatVersion = Self.formatVersion
        public var tenant: String
        public var program: String
        public var rulesVersion: Int
        /// By kind.
        public var foldVersions: [String: Int]
    }

    /// What was made of one event.
    public struct Line: Codable, Hashable, Sendable {
        public var position: Int64
        @ByBytes public var activity: String
        public var version: Int64
        public var type: String
        /// Why it cannot be folded; then there is nothing else.
        @ByBytes public var blockage: String?
        public var phase: String?
        /// What phones are shown, as JSON text.
        @ByBytes public var shown: String?
        /// Fingerprint of the fold's own state, 16 hexadecimal digits.
        public var state: String?
        /// Verdict and rule.
        public var decision: String?

        private enum CodingKeys: String, CodingKey {
            case position, activity, version, type
            case blockage = "fault"
            case phase, shown, state, decision
        }
    }

    /// Folds a whole log and writes what comes of it, in the order of the log.
    /// - Parameter write: given one or more whole lines.
    /// - Throws: `.changedMeanwhile` when activities were dropped or erased before it was done.
    public static func write(
        _ history: History, program: String,
        to write: @escaping @Sendable (Data) throws(ReplayError) -> Void,
        progress: @escaping ReplayProgress = { _, _ in }
    ) async throws(ReplayError) {
        let book = try PolicyBook(replaying: try await history.policies())
        let skipped = try await history.skipped()
        let mark = try await history.mark()
        let head = Head(
            tenant: history.tenant, program: program, rulesVersion: DispatchMachine.rulesVersion,
            foldVersions: ActivityCatalog.standard.foldVersions)
        try write(encoded(head))
        let count = LogWalk.walkers
        let walkers = (0..<count).map {
            TracingWalker(share: (index: $0, count: count), book, skipped: skipped)
        }
        try await LogWalk.run(
            walkers, over: history, through: try await history.end(), completing: { $0 },
            afterEach: { () async throws(ReplayError) in
                var lines: [(position: Int64, line: Data)] = []
                for walker in walkers { lines += await walker.drain() }
                lines.sort { $0.position < $1.position }
                try write(lines.reduce(into: Data()) { $0 += $1.line })
            }, progress: progress)
        try await history.requireUnchanged(since: mark)
    }

    static func encoded(_ line: some Encodable) -> Data {
        WireCoder.encode(line) + Data("\n".utf8)
    }
}

/// Folds and decides about a share of the activities.
private actor TracingWalker: LogWalker {
    private let share: (index: Int, count: Int)
    private let book: PolicyBook
    private let skipped: Set<Int64>
    private var folds: [ActivityID: ReplayFold] = [:]
    private var blocked: Set<ActivityID> = []
    private var lines: [(position: Int64, line: Data)] = []

    init(share: (index: Int, count: Int), _ book: PolicyBook, skipped: Set<Int64>) {
        self.share = share
        self.book = book
        self.skipped = skipped
    }

    func take(_ page: HistoryPage) throws(ReplayError) {
        try page.forEachEvent(of: page.areIn(share)) { (_, event) throws(ReplayError) in
            guard !skipped.contains(event.position), !blocked.contains(event.activityID)
            else { return }
            lines.append((event.position, FoldTrace.encoded(line(event))))
        }
    }

    private func line(_ event: BorrowedEvent) -> FoldTrace.Line {
        let id = event.activityID
        var line = FoldTrace.Line(
            position: event.position, activity: id.rawValue, version: event.version,
            type: event.typeName)
        do throws(FoldError) {
            // One that was archived and dropped comes again as a new one.
            let known = event.version > 1 ? folds[id] : nil
            let fold =
                if let known { known } else {
                    try ReplayFold(before: event, isDeciding: true)
                }
            let conclusion = try fold.fold(event, under: book)
            folds[id] = fold
            let snapshot = fold.snapshot()
            line.phase = snapshot.phase.rawValue
            line.shown = String(decoding: snapshot.contentState, as: UTF8.self)
            line.state = Hexadecimal.encode(FNV1a.hash(snapshot.state))
            line.decision = conclusion.decision(about: event).map {
                "\($0.verdict.rawValue) by \($0.rule)"
            }
        } catch {
            line.blockage = error.summary
            // What another kind reports is parked alone; after anything else folding stops.
            if case .kindMismatch = error { return line }
            blocked.insert(id)
        }
        return line
    }

    func drain() -> [(position: Int64, line: Data)] {
        defer { lines = [] }
        return lines
    }
}
