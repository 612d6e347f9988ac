import Domain
import EventStore

/// Gathers what an explanation needs. There is no other way to one: the API, the command line and
/// all others that explain a decision ask here.
public enum Explainer {
    public enum Answer: Sendable {
        case explained(Explanation)
        case noSuchActivity
        case noSuchVersion
    }

    /// - Parameter version: nil for the newest; of an activity that has ended, for the last one
    ///   that mattered to a phone.
    public static func explain<Record: ActivityRecord>(
        _ version: Int64? = nil, of record: Record
    ) async throws(Record.Failure) -> Answer {
        guard let end = try await record.end() else { return .noSuchActivity }
        let wanted: Int64
        if let version {
            wanted = version
        } else if end.hasEnded {
            let last = try await lastRow(before: end.version + 1, of: record) { $0.mattered }
            wanted = last?.decision.version ?? end.version
        } else {
            wanted = end.version
        }
        guard let event = try await record.event(wanted) else { return .noSuchVersion }
        return .explained(Explanation(try await findings(about: event, in: record)))
    }

    private static func findings<Record: ActivityRecord>(
        about event: RecordedEvent, in record: Record
    ) async throws(Record.Failure) -> Findings {
        let version = event.version
        let row = try await record.rows(after: version - 1, limit: 1)
            .first { $0.decision.version == version }
        guard let row else {
            let parking = try await record.parking(of: event)
            return Findings(event: event, state: .undecided(parking))
        }
        let before = try await lastRow(before: version, of: record) { _ in true }
        var findings = Findings(
            event: event, state: .decided(row, before: before?.decision.contentState))
        let texts = try await TextResults.read(about: [row], in: record)
        findings.text = texts.results(of: [row])[version] ?? TextResult()
        if case .carried(let carriedBy, _) = findings.text.outcome, carriedBy != version,
            let carrier = texts.row(of: carriedBy),
            let failed = carrier.outcome?.failed, failed > 0,
            let around = try await record.deliverySituation(of: carrier)
        {
            findings.carrier = (carrier, around.later)
        }
        findings.deliverySituation = try await record.deliverySituation(of: row)
        return findings
    }

    /// Some are left out, so a page may have none.
    private static func lastRow<Record: ActivityRecord>(
        before version: Int64, of record: Record, where isWanted: (LedgerRow) -> Bool
    ) async throws(Record.Failure) -> LedgerRow? {
        var end = version
        for _ in 0..<Limits.pagesBackMax where end > 1 {
            let after = max(0, end - 1 - Int64(Limits.pageRows))
            let page = try await record.rows(after: after, limit: Limits.pageRows)
            if let row = page.last(where: { $0.decision.version < end && isWanted($0) }) {
                return row
            }
            end = after + 1
        }
        return nil
    }
}

extension LedgerRow {
    /// Phones were sent something, or the change was worth it.
    fileprivate var mattered: Bool {
        decision.verdict.pushes || (decision.significance ?? .none) != .none
    }
}
