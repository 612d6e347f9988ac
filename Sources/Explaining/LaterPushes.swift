import DeliveryRules
public import Domain
public import EventStore

/// What pushes brought to phones that had missed earlier ones, and what they said there.
public struct LaterPushes: Hashable, Sendable {
    /// Phones and what they were sent, those that were sent the same together.
    struct Group: Hashable {
        var said: CaughtUpPush.Said
        var phones: Int
    }

    let behind: PhonesBehind
    private let pushes: [PhonesBehind.Span: CaughtUpPush]

    /// - Parameters:
    ///   - behind: of the activity.
    ///   - rows: of its ledger, in order; without them it is not known what pushes said.
    public init(_ behind: PhonesBehind = PhonesBehind(), among rows: [LedgerRow] = []) {
        self.init(behind, of: Self.most(behind.counts), among: rows)
    }

    private init(
        _ behind: PhonesBehind, of spans: [PhonesBehind.Span], among rows: [LedgerRow]
    ) {
        self.behind = behind
        let completed = CompletedRows(rows, lastTimestamp: behind.lastTimestamp)
        pushes = Dictionary(
            spans.map { ($0, completed.push(bringing: $0)) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Reads of the ledger what concerns some rows of it.
    public static func read<Record: ActivityRecord>(
        _ behind: PhonesBehind, about rows: some Collection<LedgerRow>, in record: Record
    ) async throws(Record.Failure) -> LaterPushes {
        let carriers = rows.compactMap { $0.outcome?.carriedBy }
        guard let first = carriers.min(), let last = carriers.max() else {
            return LaterPushes(behind)
        }
        let spans = most(
            behind.counts.filter { $0.key.after < last && $0.key.through >= first })
        let ends = spans.map(\.through)
        guard let nearest = ends.min(), let furthest = ends.max() else {
            return LaterPushes(behind)
        }
        var (found, bytes): ([LedgerRow], Int) = ([], 0)
        var after = max(0, nearest - Int64(DeliveryRules.Limits.missedChangesMax))
        // The change after the last says until when a phone may have got that one.
        while found.count < Limits.rowsMax, bytes < Limits.rowBytesMax,
            found.last.map(\.decision.version) ?? 0 <= furthest
        {
            let page = try await record.rows(after: after, limit: Limits.pageRows)
            found += page
            bytes += page.reduce(0) { $0 + $1.textBytes }
            guard page.count == Limits.pageRows, let newest = page.last else { break }
            after = newest.decision.version
        }
        return LaterPushes(behind, of: spans, among: found)
    }

    /// Those of the most phones: of the rest it stays unknown what pushes said.
    private static func most(_ counts: [PhonesBehind.Span: Int]) -> [PhonesBehind.Span] {
        counts.sorted { ($1.value, $0.key.through) < ($0.value, $1.key.through) }
            .prefix(Limits.spansMax).map(\.key)
    }

    /// Why APNs refused phones that have got nothing since, in parentheses; empty if none is meant.
    func refusals(_ isMeant: (PhonesBehind.Refusal) -> Bool) -> String {
        let reasons = Set(behind.refusals.filter(isMeant).map(\.reason)).sorted()
        return reasons.isEmpty ? "" : " (\(reasons.joined(separator: ", ")))"
    }

    /// Those that got a version by a later push, by what it said: the most first.
    func groups(brought version: Int64) -> [Group] {
        groups { span, push in
            span.after < version && version <= span.through ? push.said : nil
        }
    }

    /// Phones to which the push of a version said something else than to those that had missed
    /// nothing.
    func caughtUp(byPushOf version: Int64) -> [Group] {
        guard behind.counts.values.reduce(0, +) < Domain.Limits.countedMax else { return [] }
        return groups { _, push in
            guard let fanOut = push.ofFanOut, fanOut.carriedBy == version else { return nil }
            switch push.said {
            case .alert(let words): return fanOut.words == words ? nil : push.said
            case .nothing: return fanOut.words == nil ? nil : push.said
            case .perhaps, .tooLate, .unknown: return nil
            }
        }
    }

    private func groups(
        _ said: (PhonesBehind.Span, CaughtUpPush) -> CaughtUpPush.Said?
    ) -> [Group] {
        var phones: [CaughtUpPush.Said: Int] = [:]
        for (span, count) in behind.counts {
            let push = pushes[span] ?? CaughtUpPush(said: .unknown)
            if let said = said(span, push) { phones[said, default: 0] += count }
        }
        return phones.map { Group(said: $0.key, phones: $0.value) }.sorted { left, right in
            (right.phones, left.said.words) < (left.phones, right.said.words)
        }
    }
}

extension CaughtUpPush.Said {
    /// Without a full stop.
    var words: String {
        switch self {
        case .alert(let words): "with the alert \(words.quoted)"
        case .perhaps(let words):
            "with the alert \(words.quoted) if it came within \(Self.alertAge) of the change"
        case .nothing: "without an alert, as nothing was left to say"
        case .tooLate: "without an alert, as it came more than \(Self.alertAge) after the change"
        case .unknown: "with an alert or without, which is not known any more"
        }
    }

    private static let alertAge = Moment.words(
        forSeconds: DeliveryRules.Limits.missedAlertAgeSecondsMax)
}

extension Alert.Text {
    /// As sentences have it.
    var quoted: String { "“\(title)” – “\(body)”" }
}
