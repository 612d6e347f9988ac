import Domain
import Testing
@testable import DeliveryRules
@testable import Projections

/// A change that alerts of what an earlier one should have is one of another rule. Whatever belongs
/// to a rule has to be that one's.
struct `A change that alerts of what people have not heard` {
    private typealias Members = (replaced: Set<String>, kept: Set<String>)

    private static let subject = "delay"
    private static let extent = AlertContext.Extent(seconds: 1_900, stepSeconds: 600)
    private static let alert = Alert(title: "Late", body: "Half an hour.")

    /// Each member that it may have is another one than that of the rule that takes over.
    private func folded() -> FoldedChange {
        var folded = change(version: 1, state: "{}", .timely)
        folded.assessment.isCritical = true
        folded.assessment.staleAt = Moment(unixSeconds: 9_000)
        folded.assessment.relevanceScore = 75
        folded.assessment.alertContext = AlertContext(
            weight: 1, subject: "stage", withdrawing: ["stage"])
        var amendment = Assessment.Amendment(Self.subject, Words("delayed"))
        amendment.telling = Assessment.Telling(rule: "delayed", weight: 7, extent: Self.extent)
        folded.assessment.amendments = [amendment]
        folded.amendments = [
            AlertContext.Amendment(subject: Self.subject, alert: Self.alert, extent: Self.extent)
        ]
        return folded
    }

    private func alerting() -> FoldedChange {
        var unheard = Unheard()
        unheard.remember(Self.subject, heardSeconds: 0)
        return unheard.alerting(folded(), beside: nil)
    }

    @Test func `says what the rule says that takes over`() {
        let alerting = alerting()
        #expect(alerting.alert == Self.alert)
        #expect(alerting.amendments.isEmpty)
        #expect(alerting.assessment.significance == .alert)
        #expect(alerting.assessment.rule == "delayed")
        let context = alerting.assessment.alertContext
        #expect(context.weight == 7)
        #expect(context.subject == Self.subject)
        #expect(context.withdrawnSubjects == ["stage", Self.subject])
        #expect(context.degree == AlertContext.Degree(Self.extent, heardSeconds: 0))
    }

    /// A new member stands in neither list. Put it where it belongs: what the rule gives is to be
    /// replaced, so `Assessment.Telling` has it too and `Unheard.alerting` takes it from there.
    @Test func `has each of its members either from that rule or from the change itself`() {
        let (before, after) = (folded(), alerting())
        compare(
            before, after,
            (
                replaced: ["assessment", "alert", "amendments"],
                kept: ["snapshot", "isVisible", "occurredAt", "policy"]
            ))
        compare(
            before.assessment, after.assessment,
            (
                replaced: ["significance", "rule", "reason", "alertContext"],
                // What it may take of the budget, and when its card goes stale, are the change's.
                kept: [
                    "isCritical", "words", "amendments", "endsQuietHours", "restarts", "staleAt",
                    "relevanceScore", "ending", "pendingEnding", "isAboutEnd",
                ]
            ))
        compare(
            before.assessment.alertContext, after.assessment.alertContext,
            (
                replaced: ["weight", "subject", "withdrawnSubjects", "degree"],
                kept: [
                    "isCorrection", "amendments", "changedValue", "silence", "carried", "dropped",
                ]
            ))
    }

    private func compare<Value>(_ before: Value, _ after: Value, _ members: Members) {
        let (old, new) = (texts(before), texts(after))
        #expect(Set(old.keys) == members.replaced.union(members.kept), "\(Value.self)")
        for name in members.replaced { #expect(old[name] != new[name], "\(Value.self).\(name)") }
        for name in members.kept { #expect(old[name] == new[name], "\(Value.self).\(name)") }
    }

    private func texts(_ value: Any) -> [String: String] {
        let members = Mirror(reflecting: value).children
        return Dictionary(
            uniqueKeysWithValues: members.map { ($0.label ?? "", String(describing: $0.value)) })
    }
}
