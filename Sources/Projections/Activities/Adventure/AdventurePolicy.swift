import Domain

/// What each change of an adventure is worth. The first rule that fits speaks.
struct AdventurePolicy {
    private let change: Change<AdventureKind>

    init(_ change: Change<AdventureKind>) { self.change = change }

    var assessment: Assessment {
        endingRule ?? criticalRule ?? firstRule ?? recoveryRule ?? happeningRule
    }

    /// Whether the hero needs help: of that only the newest alert is true.
    private static let danger = "danger"

    private var endingRule: Assessment? {
        guard change.after.outcome != change.before.outcome else { return nil }
        return switch change.after.outcome {
        case .victorious: say(Self.bossDefeated, AlertContext(withdrawing: [Self.danger]))
        case .fallen: say(Self.fallen, AlertContext(withdrawing: [Self.danger]))
        case nil: nil
        }
    }

    private var firstRule: Assessment? {
        change.before.happening == nil ? say(Self.first) : nil
    }

    /// Speaks when health falls to the mark, not at each hit below it.
    private var criticalRule: Assessment? {
        guard change.after.outcome == nil, change.after.happening?.value.sort == .damaged,
            isCritical,
            Double(change.before.healthPercent) > change.policy[Self.criticalPercent]
        else { return nil }
        return say(Self.criticalHit, .newest(Self.danger))
    }

    private var recoveryRule: Assessment? {
        guard change.after.outcome == nil, !isCritical,
            Double(change.before.healthPercent) <= change.policy[Self.criticalPercent]
        else { return nil }
        return say(Self.recovered, .newest(Self.danger))
    }

    /// If nobody has heard yet that a hero needs help, the alert says how much health is left now.
    private var happeningRule: Assessment {
        var assessment = say(Self.happening)
        if change.after.outcome == nil, isCritical {
            assessment.amendments = [Assessment.Amendment(Self.danger, words(of: Self.criticalHit))]
        }
        return assessment
    }

    private var isCritical: Bool { Self.isCritical(change.after, under: change.policy) }

    static func isCritical(_ state: AdventureState, under policy: Policy) -> Bool {
        Double(state.healthPercent) <= policy[criticalPercent]
    }

    private func words(of rule: Rule) -> Words {
        Words(
            rule.name,
            [
                "hero": AdventureKind.hero(of: change.after),
                "description": AdventureKind.happening(of: change.after),
                "percent": .count(change.after.healthPercent),
            ])
    }

    private func say(_ rule: Rule, _ alertContext: AlertContext = AlertContext()) -> Assessment {
        change.assessment(
            rule, words: rule.hasWords ? words(of: rule) : nil, alertContext: alertContext)
    }
}
