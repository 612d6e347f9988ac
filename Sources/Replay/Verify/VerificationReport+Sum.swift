import Domain

extension VerificationReport {
    /// The report of several logs together. What was found in each is counted and not named.
    public init(sumOf reports: [VerificationReport]) {
        func total(_ count: (VerificationReport) -> Int) -> Int { reports.map(count).reduce(0, +) }
        self.init(
            tenant: "all \(reports.count.counted("tenant"))", events: total(\.events),
            activities: total(\.activities), decisions: total(\.decisions),
            areDecisionsMadeAgain: reports.contains(where: \.areDecisionsMadeAgain),
            notFolded: reports.map(\.notFolded).reduce(0, +), defects: [],
            defectsUnnamed: total { $0.defects.count + $0.defectsUnnamed })
        decisionsOfOtherRules = total(\.decisionsOfOtherRules)
        activitiesWithoutBeginning = total(\.activitiesWithoutBeginning)
        activitiesErased = reports.map(\.activitiesErased).reduce(0, +)
    }
}
