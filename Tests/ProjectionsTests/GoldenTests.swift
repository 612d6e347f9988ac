import Projections
import Testing

struct `A golden file` {
    @Test func `of a version is not made again by the same version`() {
        let before = ["rules 1", "Match: 2 changes", "  1 goal", "  1 card"]
        func needsNewVersion(_ lines: String...) -> Bool {
            Golden.needsNewVersion(lines, insteadOf: before)
        }
        #expect(needsNewVersion("rules 1", "Match: 2 changes", "  2 goal"))
        #expect(needsNewVersion("rules 1", "Match: 2 changes", "  1 card", "  1 goal"))
        #expect(!needsNewVersion("rules 2", "Match: 2 changes", "  2 goal"))
        #expect(
            !needsNewVersion(
                "rules 1", "Quest: 1 changes", "  1 fall", "Match: 2 changes", "  1 goal",
                "  1 card"))
        #expect(!Golden.needsNewVersion(before, insteadOf: []))
    }

    /// With others the same events give other decisions, whether or not a story shows that. Who
    /// gets a card and who listens to a channel is in no decision.
    @Test func `has the rules and figures by which each kind is decided about`() throws {
        let others = [Threshold.startTokens, .startRefillSeconds, .broadcastFromFollowers]
        var lines: [String] = []
        for kind in ActivityCatalog.standard.kinds {
            for rule in kind.rules {
                let priority = rule.isCritical ? ", critical" : ""
                let end = rule.isAboutEnd ? ", about the end" : ""
                let words = rule.hasWords ? ", with words" : ""
                lines.append("\(kind.name) \(rule.name): \(rule.standard)\(priority)\(end)\(words)")
            }
            let figures = kind.allThresholds.filter { !others.map(\.name).contains($0.name) }
            lines += figures.map { "\(kind.name) \($0.name): \($0.standard)" }
        }
        try Golden.check("figures.txt", by: .rules, lines)
    }
}
