import Testing

@testable import Replay
@testable import islet

struct `What a verification says` {
    private func text(decisions: Int, again: Bool, notFolded: Int64) -> String {
        VerificationText.lines(
            VerificationReport(
                tenant: "shop", events: 9, activities: 2, decisions: decisions,
                areDecisionsMadeAgain: again, notFolded: notFolded, defects: [], defectsUnnamed: 0)
        ).joined()
    }

    @Test func `claims everything only when everything is folded`() {
        #expect(
            text(decisions: 9, again: true, notFolded: 0)
                .hasSuffix("; everything follows from the log"))
        let lagging = text(decisions: 8, again: true, notFolded: 1)
        #expect(lagging.contains("follows from the log as far as it is folded"))
        #expect(lagging.hasSuffix("; 1 event is not folded yet: verify again later"))
        #expect(text(decisions: 7, again: false, notFolded: 2).contains("2 events are not folded"))
        #expect(text(decisions: 0, again: false, notFolded: 9).contains("9 events are not folded"))
    }
}
