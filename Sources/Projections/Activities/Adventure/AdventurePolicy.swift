import Domain

/// What each change of an adventure is worth. The first rule that fits speaks.
struct AdventurePolicy {
    /// At this health or less a hero needs help.
    static let criticalPercent = 20
    /// A hero of whom nothing is heard for so long has been left alone.
    static let staleAfterSeconds = 1800.0
    static let dismissSeconds = 900.0

    private let change: Change<AdventureKind>
    private let hero: String
    private let description: String

    init(_ change: Change<AdventureKind>) {
        self.change = change
        hero = AdventureKind.heroName(of: change.after)
        description = AdventureKind.contentState(of: change.after).eventDescription
    }

    var assessment: Assessment {
        endingRule ?? criticalRule ?? firstRule ?? recoveryRule
            ?? say(.ambient, "happening", "The adventure goes on.")
    }

    private var endingRule: Assessment? {
        let ending = Ending(dismissAfterSeconds: Self.dismissSeconds)
        switch change.after.outcome {
        case .victorious:
            let alert = Alert(title: "Victory!", body: description)
            return say(.alert(alert), "bossDefeated", "The adventure is won.", ending: ending)
        case .fallen:
            let alert = Alert(title: "\(hero) has fallen", body: description)
            return say(.alert(alert), "fallen", "The adventure is lost.", ending: ending)
        case nil: return nil
        }
    }

    private var firstRule: Assessment? {
        change.before.happening == nil ? say(.timely, "first", "The adventure appears.") : nil
    }

    /// Speaks when health falls to the mark, not at each hit below it.
    private var criticalRule: Assessment? {
        guard change.after.happening?.value.sort == .damaged, isCritical,
            change.before.healthPercent > Self.criticalPercent
        else { return nil }
        let alert = Alert(
            title: "\(hero) has taken a critical hit!",
            body: "\(change.after.healthPercent) % of health left. \(description)")
        return say(.alert(alert), "criticalHit", "The hero needs help.")
    }

    private var recoveryRule: Assessment? {
        guard !isCritical, change.before.healthPercent <= Self.criticalPercent else { return nil }
        return say(.timely, "recovered", "The hero is out of danger.")
    }

    private var isCritical: Bool { change.after.healthPercent <= Self.criticalPercent }

    private func say(
        _ significance: Significance, _ rule: String, _ reason: String, ending: Ending? = nil
    ) -> Assessment {
        Assessment(
            significance: significance, rule: rule, reason: reason,
            staleAt: ending == nil
                ? change.recordedAt.adding(seconds: Self.staleAfterSeconds) : nil,
            relevanceScore: relevance, ending: ending)
    }

    private var relevance: Double {
        if change.after.outcome != nil { return 25 }
        return isCritical ? 100 : 50
    }
}
