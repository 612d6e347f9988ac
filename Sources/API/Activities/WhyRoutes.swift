import Domain
import EventStore
import HTTP
import Projections

/// Answers the question why a phone showed what it did.
struct WhyRoutes: Sendable {
    let store: EventStore
    let environment: APIEnvironment

    var routes: [Route] {
        [.get("/v1/activities/{id}/why", scope: .activitiesRead, why)]
    }

    @Sendable
    private func why(_ call: Call, _ caller: Caller) async throws(ProblemDocument) -> Response {
        let id = try call.activityID()
        let wanted = try call.number("version", in: 1...Limits.positions.upperBound)
        let newest: Int64?
        do { newest = try await store.projections.snapshot(caller.tenant, id)?.version } catch {
            throw environment.problem(for: error, doing: "reading an activity")
        }
        guard let newest else {
            throw ProblemDocument(.unknownActivity, "This tenant has no activity with that id.")
        }
        let version = wanted ?? newest
        let event: RecordedEvent?
        let rows: [LedgerRow]
        do {
            event = try await store.log.readActivity(caller.tenant, id, version - 1, 1).first
                .flatMap { $0.version == version ? $0 : nil }
            // The one before says what the card showed until then.
            rows = try await store.projections.decisions(
                caller.tenant, id, max(0, version - 2), 2)
        } catch { throw environment.problem(for: error, doing: "reading the ledger") }
        guard let event else {
            throw ProblemDocument(
                .invalidParameter, "`version`: the activity has no such version.")
        }
        guard let row = rows.last(where: { $0.decision.version == event.version }) else {
            return .reading(
                call,
                ["version": .integer(event.version), "sentences": .array([.string(Self.nothing)])])
        }
        let cards: CardTally
        let held: [HeldPhones]
        let audience: AudienceReport?
        do {
            cards = try await store.registrations.tally(caller.tenant, id, row.outcome?.settledAt)
            held = try await store.apps.heldBy(caller.tenant, id)
            audience = try await store.starts.audience(caller.tenant, id)
        } catch { throw environment.problem(for: error, doing: "counting cards") }
        let before = rows.first { $0.decision.version == event.version - 1 }
        let words: WordsFate?
        do { words = try await fate(of: row, caller.tenant) } catch {
            throw environment.problem(for: error, doing: "reading the ledger")
        }
        let explanation = Explanation(
            event, row.decision, before: before?.decision.contentState,
            outcome: row.outcome.map(Explanation.Outcome.init), words: words, cards: cards,
            held: held, starts: audience?.counts ?? [:])
        return .reading(
            call,
            [
                "version": .integer(event.version),
                "sentences": .array(explanation.sentences.map { .string($0) }),
                "changes": .array(explanation.changes.map(ActivityDocument.change)),
                "event": ActivityDocument.event(event),
                "decision": ActivityDocument.ledgerRow(
                    row, of: nil, before: before?.decision.contentState, event: event),
            ])
    }

    /// What became of its words, as far as the rows around it tell.
    private func fate(
        of row: LedgerRow, _ tenant: TenantID
    ) async throws(EventStoreError) -> WordsFate? {
        let decision = row.decision
        let carriedBy = row.outcome?.carriedBy
        let wasKeptBack = decision.news?.silence == .quietHours
        guard wasKeptBack || (decision.alert != nil && carriedBy != nil) else { return nil }
        var others: [Decision] = []
        var after = decision.version
        if !wasKeptBack { after = max(0, after - Int64(Limits.whyRowsBefore)) }
        while others.count < Limits.whyRowsMax {
            let page = try await store.projections.decisions(
                tenant, decision.activityID, after, Limits.whyPageRows)
            others += page.filter { wasKeptBack || $0.outcome?.carriedBy == carriedBy }
                .map(\.decision)
            guard page.count == Limits.whyPageRows, let last = page.last?.decision else { break }
            after = last.version
            let fate = WordsFate(of: decision, carriedBy: carriedBy, among: others)
            let isFound = wasKeptBack ? fate != .waiting : after >= carriedBy ?? 0
            if isFound { break }
        }
        return WordsFate(of: decision, carriedBy: carriedBy, among: others)
    }

    private static let nothing =
        "Nothing has been decided about this version: its event is not folded yet, or was parked."
}

extension Explanation.Outcome {
    fileprivate init(_ outcome: LedgerRow.Outcome) {
        self.init(
            carriedBy: outcome.carriedBy, accepted: outcome.accepted, failed: outcome.failed,
            settledAt: outcome.settledAt, channels: outcome.channels)
    }
}
