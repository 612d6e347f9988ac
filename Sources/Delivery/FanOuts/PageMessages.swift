import DeliveryRules
import Domain
import EventStore

/// What each phone of a page is sent. Phones whose last push failed are also sent what they missed.
/// What grows and falls back, such as a delay, nobody hears of twice.
struct PageMessages {
    private let plan: PushPlan
    private let countsWhatWasHeard: Bool
    /// The activity's recent changes that an earlier fan-out completed.
    private let completed: CompletedDecisions
    private let now: Moment
    /// Languages that there are texts in.
    private let languages: Set<Language>
    private var messages: [Key: PushPlan.Message?] = [:]

    /// What a message depends on.
    private struct Key: Hashable {
        var earlier: [Int64]
        var missed: [Int64]
        var coveredPending: Int
        var tier: PhoneTier
        var language: Language
        var format: PushFormat
    }

    static func prepare(
        _ plan: PushPlan, for page: [Registration], _ claim: DeliveryClaim,
        _ projections: any ProjectionStore, now: Moment
    ) async throws(EventStoreError) -> PageMessages {
        let behind = page.filter(\.isBehindOrNew).map(\.sentVersion)
        guard let oldest = plan.countsWhatWasHeard ? 0 : behind.min() else {
            return PageMessages(plan: plan, completed: CompletedDecisions([]), now: now)
        }
        return PageMessages(
            plan: plan, completed: try await completed(since: oldest, claim, projections), now: now)
    }

    /// The activity's recent changes after a version that an earlier fan-out completed.
    static func completed(
        since version: Int64, _ claim: DeliveryClaim, _ projections: any ProjectionStore
    ) async throws(EventStoreError) -> CompletedDecisions {
        let limit = DeliveryRules.Limits.missedChangesMax
        let rows = try await projections.decisions(
            claim.tenant, claim.snapshot.activityID,
            max(version, claim.snapshot.version - Int64(limit)), limit)
        return CompletedDecisions(
            rows.compactMap { row in
                row.outcome.map { (decision: row.decision, carriedBy: $0.carriedBy) }
            })
    }

    /// One of `languages`, so that phones of many locales share few messages.
    private func language(of phone: Registration) -> Language {
        guard let locale = phone.locale else { return .standard }
        return Language.best(for: locale, among: languages) ?? .standard
    }

    private init(plan: PushPlan, completed: CompletedDecisions, now: Moment) {
        self.plan = plan
        countsWhatWasHeard = plan.countsWhatWasHeard
        self.completed = completed
        self.now = now
        languages = plan.languages.union(
            completed.decisions.flatMap(\.allAlerts).flatMap(\.alert.languages))
    }

    /// Nil when nothing can be sent.
    mutating func message(for phone: Registration) -> PushPlan.Message? {
        let missed =
            phone.isBehindOrNew
            ? completed.missed(after: phone.sentVersion, now: now, since: phone.registeredAt) : []
        let earlier =
            countsWhatWasHeard
            ? completed.pushes(
                upTo: phone.isBehindOrNew ? phone.sentVersion : .max, since: phone.registeredAt)
            : []
        let key = Key(
            earlier: earlier.flatMap { $0.map(\.version) }, missed: missed.map(\.version),
            coveredPending: plan.coveredCount(upTo: phone.sentVersion),
            tier: phone.tier, language: language(of: phone),
            format: PushFormat(for: phone.environment))
        if let message = messages[key] { return message }
        let message = plan.message(
            earlier: earlier, missed: missed, coveredVersion: phone.sentVersion,
            tier: key.tier, language: key.language, as: key.format)
        messages[key] = .some(message)
        return message
    }
}

extension Registration {
    /// Whether it may have missed alerts, or has just registered: such a phone is owed the state,
    /// and no alerts of before. A phone whose token has rotated while the push to the old token
    /// failed is owed something without a failure of its own.
    fileprivate var isBehindOrNew: Bool { attempts > 0 || isOwed }
}
