import Domain
import EventStore

/// What may grow and fall back, such as a delay, is said as it grows. People who have heard of as
/// much hear of it again only after it was gone, or if they count as having heard of less. How much
/// more is worth a word, the policy at that time says.
extension Simulation {
    /// How much a text stands for: it may be made several times, as minutes are rounded, and under
    /// several policies.
    private typealias Extents = [AlertContext.Extent]

    func checkDegrees(_ name: CardName) {
        let rows = ledger(of: name)
        let accepted = book.accepted(name).filter { $0.event != "start" }
        for (subject, texts) in Self.degrees(in: rows).sorted(by: { $0.key < $1.key }) {
            var last: (push: SentPush, heardSeconds: Double)?
            for push in accepted {
                let told = Self.told(by: push, of: texts)
                guard let leastSeconds = told.map(\.seconds).min() else { continue }
                let earlier = last.flatMap { $0.push.tokenHex == push.tokenHex ? $0 : nil }
                // Phones show nothing of a push that a newer one has overtaken.
                guard push.timestamp > earlier?.push.timestamp ?? 0 else { continue }
                if let earlier, book.isRecorded(earlier.push),
                    !told.contains(where: { $0.exceeds(heardSeconds: earlier.heardSeconds) }),
                    !Self.mayExceedHeard(
                        subject, to: earlier.heardSeconds, since: earlier.push, in: rows)
                {
                    find("\(name.person) was told again of \(subject) of \(name.activity)")
                }
                last = (push, leastSeconds)
            }
        }
    }

    /// What the store does not know of may be said again.
    private static func mayExceedHeard(
        _ subject: String, to heardSeconds: Double, since push: SentPush, in rows: [LedgerRow]
    ) -> Bool {
        let covered = rows.last { row in
            row.outcome?.timestamp.map { $0 <= push.timestamp } ?? false
        }
        return rows.contains { row in
            guard row.decision.version > covered?.decision.version ?? 0 else { return false }
            let alerts = row.decision.allAlerts.filter { $0.alertContext.subject == subject }
            guard alerts.isEmpty else {
                return alerts.contains { alert in
                    alert.alertContext.degree.map { $0.heardSeconds < heardSeconds } ?? true
                }
            }
            return row.decision.alertContext?.withdrawnSubjects.contains(subject) ?? false
        }
    }

    /// How much each text of a subject stands for.
    private static func degrees(in rows: [LedgerRow]) -> [String: [String: Extents]] {
        var degrees: [String: [String: Extents]] = [:]
        func note(_ subject: String?, _ alert: Alert, _ extent: AlertContext.Extent?) {
            guard let subject, let extent else { return }
            degrees[subject, default: [:]][alert.body, default: []].append(extent)
        }
        for row in rows {
            for (alert, alertContext) in row.decision.allAlerts {
                note(alertContext.subject, alert, alertContext.degree?.extent)
            }
            for amendment in row.decision.alertContext?.amendments ?? [] {
                note(amendment.subject, amendment.alert, amendment.extent)
            }
        }
        return degrees
    }

    /// Empty if a push says nothing of it.
    private static func told(by push: SentPush, of texts: [String: Extents]) -> Extents {
        texts.filter { push.says($0.key) }.flatMap(\.value)
    }
}
