public import Domain

extension AdventureKind {
    public static func presentation(
        attributes: AdventureAttributes, contentState: AdventureAttributes.ContentState
    ) -> Presentation {
        let hero = attributes.hero
        let title = Presentation.Line("\(hero.avatar) \(hero.name.isolated)")
        let percent = "\(Int((min(1, max(0, contentState.currentHealthLevel)) * 100).rounded())) %"
        let health = Presentation.Line("Health \(percent)")
        let happening = Presentation.Line(contentState.eventDescription)
        return Presentation(
            lockScreen: [title, health, happening],
            compactLeading: Presentation.Line(hero.avatar),
            compactTrailing: Presentation.Line(percent), minimal: Presentation.Line(percent),
            expanded: Presentation.Expanded(
                leading: title, trailing: Presentation.Line(percent),
                center: Presentation.Line(summary(contentState.outcome, hero)),
                bottom: happening))
    }

    private static func summary(
        _ outcome: Adventure.Outcome?, _ hero: AdventureAttributes.Hero
    ) -> String {
        switch outcome {
        case .victorious: "Victory"
        case .fallen: "Fallen"
        case nil: "\(hero.heroType.isolated), level \(hero.level)"
        }
    }
}
