import Testing

@testable import Replay
@testable import islet

struct `What another policy would have made` {
    private func report() -> WhatIfReport {
        var report = WhatIfReport(tenant: "sports")
        (report.events, report.activities, report.activitiesAffected) = (900, 40, 2)
        report.changes.added = 1
        report.changes.removed = 3
        report.changes.moved = 4
        report.changes.reworded = 5
        report.before.alerts = 10
        report.after.alerts = 8
        report.before.bytes = 1_000
        report.after.bytes = 1_200
        return report
    }

    @Test func `is counted, with the difference and its sign`() {
        let lines = WhatIfText.lines(report())
        #expect(
            lines.first
                == "sports: 900 events of 40 activities, of which 2 would have gone otherwise")
        #expect(lines[1] == "alerts: 1 added, 3 removed, 4 moved, 5 in other words")
        #expect(lines[2].isEmpty)
        let rows = lines.dropFirst(3).map { line in
            line.split(separator: "  ").map { $0.drop { $0 == " " } }
        }
        #expect(rows.first == ["as it was", "tried", "difference"])
        #expect(rows.contains(["decisions with words", "10", "8", "-2"]))
        #expect(rows.contains(["bytes for one phone", "1000", "1200", "+200"]))
        #expect(rows.contains(["pushes", "0", "0", "0"]))
    }

    @Test func `names apart what quiet hours keep back, and what only the clock would tell`() {
        var report = report()
        report.changes.keptBack = 2
        report.triedInPart = ["PizzaDelivery": ["overdueStepSeconds", "quietHours"]]
        let lines = WhatIfText.lines(report)
        #expect(
            lines[1] == "alerts: 1 added, 3 removed, 4 moved, 5 in other words; 2 kept back until "
                + "quiet hours end")
        #expect(
            lines[2] == "tried in part only: overdueStepSeconds, quietHours of PizzaDelivery, as "
                + "what the clock reports is taken as it was recorded")
        #expect(lines[3].isEmpty)
    }

    @Test func `tells what was left out, and names who is affected most`() {
        var report = report()
        report.activitiesLeftOut = 7
        let changes = WhatIfReport.Changes(added: 1, removed: 3, moved: 0, reworded: 0)
        report.mostAffected = [
            WhatIfReport.Affected(
                activity: "final", kind: "Match", changes: changes, pushes: 12, pushesTried: 9,
                examples: ["7 removed", "8 removed"]),
            WhatIfReport.Affected(
                activity: "semifinal", kind: "Match", changes: WhatIfReport.Changes(), pushes: 3,
                pushesTried: 4, examples: []),
            WhatIfReport.Affected(
                activity: "third", kind: "Match", changes: WhatIfReport.Changes(added: 1),
                pushes: 1, pushesTried: 2, examples: []),
        ]
        let lines = WhatIfText.lines(report)
        #expect(
            lines.first?.hasSuffix("; 7 left out from an event on that cannot be folded") == true)
        #expect(
            lines.suffix(5) == [
                "", "Most affected:",
                "  final: 4 alerts change (v7 removed, v8 removed …), 12 pushes become 9",
                "  semifinal: 0 alerts change, 3 pushes become 4",
                "  third: 1 alert changes, 1 push becomes 2",
            ])
    }
}
