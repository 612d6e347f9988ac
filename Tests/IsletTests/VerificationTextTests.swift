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

    @Test func `sums up several tenants, and none of one`() {
        func report(_ tenant: String, defects: [Defect] = []) -> VerificationReport {
            VerificationReport(
                tenant: tenant, events: 9, activities: 2, decisions: 9,
                areDecisionsMadeAgain: true, notFolded: 0, defects: defects, defectsUnnamed: 0)
        }
        let one = VerificationText.lines([report("shop")])
        #expect(one.count == 1)
        let sound = VerificationText.lines([report("shop"), report("feed")])
        #expect(sound.count == 3)
        #expect(
            sound.last
                == "all 2 tenants: 18 events of 4 activities, 18 decisions made again; "
                + "everything follows from the log")
        let defect = Defect(kind: .checkpointPastHead, detail: "restore the log")
        let unsound = VerificationText.lines([report("shop", defects: [defect]), report("feed")])
        #expect(unsound.count == 4)
        #expect(unsound.last?.hasSuffix("; 1 defect") == true)
    }
}
