import Testing

@testable import Replay
@testable import islet

struct `A verification that found something` {
    private func report(_ defects: [Defect], unnamed: Int = 0) -> VerificationReport {
        VerificationReport(
            tenant: "shop", events: 9, activities: 2, decisions: 9, areDecisionsMadeAgain: false,
            notFolded: 0, defects: defects, defectsUnnamed: unnamed)
    }

    @Test func `names each defect with its place, and counts those it does not name`() {
        let lines = VerificationText.lines(
            report(
                [
                    Defect(kind: .positionHole, position: 4, detail: "position 5 is missing"),
                    Defect(
                        kind: .snapshotDiffers, activityID: "order-1", position: 6,
                        detail: "the score"),
                    Defect(kind: .checkpointPastHead, detail: "restore the log"),
                ], unnamed: 2))
        #expect(
            lines == [
                "position-hole (position 4): position 5 is missing",
                "snapshot-differs (activity order-1, position 6): the score",
                "checkpoint-past-head: restore the log", "… and 2 more",
                "shop: 9 events of 2 activities, 9 decisions counted; 5 defects",
            ])
    }

    @Test func `is no less sound for what is only to be known`() {
        var report = report([])
        report.notes = [Defect(kind: .numberedTogether, position: 3, detail: "by 0.1")]
        report.notesUnnamed = 1
        let lines = VerificationText.lines(report)
        #expect(lines.first == "note: numbered-together (position 3): by 0.1")
        #expect(lines[1] == "… and 1 more note")
        #expect(
            lines.last?.hasSuffix("states follow from the log, and no decision is missing")
                == true)
    }

    @Test func `says what it left out and why`() {
        var report = report([])
        report.decisionsOfOtherRules = 3
        report.activitiesErased = 4
        report.activitiesWithoutBeginning = 5
        let summary = VerificationText.lines(report).joined()
        #expect(summary.contains("(3 by other rules, not recomputed)"))
        #expect(summary.contains("personal data of 4 activities erased"))
        #expect(summary.contains("5 activities not folded, since the beginning is not there"))
    }
}
