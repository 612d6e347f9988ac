import Domain
import EventStore

/// What may grow and fall back, such as a delay, is told as it grows. Who has heard of as much
/// hears of it again only after it was no more, or where people count as having heard of less.
extension Simulation {
    private struct Told {
        var push: SentPush
        /// In steps; one text may stand for several, as minutes are rounded.
        var steps: ClosedRange<Int>
    }

    func checkDegrees(_ name: CardName) {
        let rows = ledger(of: name)
        let accepted = book.accepted(name).filter { $0.event != "start" }
        for (subject, texts) in Self.degrees(in: rows).sorted(by: { $0.key < $1.key }) {
            var last: Told?
            for push in accepted {
                guard let steps = Self.steps(of: texts, in: push) else { continue }
                let earlier = last.flatMap { $0.push.tokenHex == push.tokenHex ? $0 : nil }
                // Phones show nothing of a push that a newer one has overtaken.
                guard push.timestamp > earlier?.push.timestamp ?? 0 else { continue }
                if let earlier, isRepeated(steps, earlier, subject, rows) {
                    find("\(name.person) was told again of \(subject) of \(name.activity)")
                }
                last = Told(push: push, steps: steps)
            }
        }
    }

    /// What the store does not know of may be told again.
    private func isRepeated(
        _ steps: ClosedRange<Int>, _ last: Told, _ subject: String, _ rows: [LedgerRow]
    ) -> Bool {
        steps.upperBound <= last.steps.lowerBound && book.isRecorded(last.push)
            && !Self.mayBeNews(subject, to: last, in: rows)
    }

    private static func mayBeNews(
        _ subject: String, to last: Told, in rows: [LedgerRow]
    ) -> Bool {
        let covered = rows.last { row in
            row.outcome?.timestamp.map { $0 <= last.push.timestamp } ?? false
        }
        return rows.contains { row in
            guard row.decision.version > covered?.decision.version ?? 0 else { return false }
            let tellings = row.decision.tellings.filter { $0.news.subject == subject }
            guard tellings.isEmpty else {
                return tellings.contains { telling in
                    telling.news.degree.map { $0.heard < last.steps.lowerBound } ?? true
                }
            }
            return row.decision.news?.withdraws.contains(subject) ?? false
        }
    }

    /// How many steps each text of a subject stands for.
    private static func degrees(in rows: [LedgerRow]) -> [String: [String: ClosedRange<Int>]] {
        var degrees: [String: [String: ClosedRange<Int>]] = [:]
        func note(_ subject: String?, _ alert: Alert, _ steps: Int?) {
            guard let subject, let steps else { return }
            let known = degrees[subject]?[alert.body] ?? steps...steps
            let range = min(known.lowerBound, steps)...max(known.upperBound, steps)
            degrees[subject, default: [:]][alert.body] = range
        }
        for row in rows {
            for telling in row.decision.tellings {
                note(telling.news.subject, telling.alert, telling.news.degree?.steps)
            }
            for amendment in row.decision.news?.amends ?? [] {
                note(amendment.subject, amendment.alert, amendment.steps)
            }
        }
        return degrees
    }

    /// Nil if a push says nothing of it.
    private static func steps(
        of texts: [String: ClosedRange<Int>], in push: SentPush
    ) -> ClosedRange<Int>? {
        texts.filter { push.says($0.key) }.map(\.value).reduce(nil) { sum, range in
            guard let sum else { return range }
            return min(sum.lowerBound, range.lowerBound)...max(sum.upperBound, range.upperBound)
        }
    }
}
