import Domain
import Replay
import Terminal

extension Command {
    static let replayVerify = Command(
        path: ["replay", "verify"],
        summary: "Check that the log has no holes and that what is stored follows from it.",
        discussion: """
            Reads the tenant's whole log, folds it again, compares snapshots byte for byte, and
            looks whether each event has its decision in the ledger. Exit code 1 when something does
            not fit. The server may run meanwhile.
            """,
        options: ReplaySource.options + [
            OptionSpec(
                "decisions", .flag,
                "Make every decision again as well, and compare it with the ledger's. Takes twice "
                    + "as long. After a fold was mended it names those of before, which stand."),
            OptionSpec.json,
        ],
        exitCodes: ReplayCodes.reading,
        examples: [
            "islet replay verify", "islet replay verify --tenant pizzeria --decisions --json",
            "islet replay verify --from /backup/pizzeria",
        ]
    ) { (arguments) async throws(CommandFailure) in
        if arguments.flag("decisions"), arguments.text("from") != nil {
            throw .usage("an export has no ledger to compare with; leave out --decisions")
        }
        let depth: Verifier.Depth = arguments.flag("decisions") ? .decisions : .states
        let report = try await ReplaySource.with(arguments) {
            history, bar async throws(ReplayError) in
            try await Verifier.verify(history, depth: depth) {
                bar.show("verifying", done: $0, of: $1)
            }
        }
        Console.answer(arguments, report, VerificationText.lines(report).joined(separator: "\n"))
        if !report.isSound { throw .reported }
    }
}

/// A verification for a person at a terminal.
enum VerificationText {
    static func lines(_ report: VerificationReport) -> [String] {
        var lines = report.defects.map(line)
        if report.defectsUnnamed > 0 { lines.append("… and \(report.defectsUnnamed) more") }
        lines += report.notes.map { "note: " + line($0) }
        if report.notesUnnamed > 0 {
            lines.append("… and \(report.notesUnnamed.counted("more note"))")
        }
        let found = report.defects.count + report.defectsUnnamed
        lines.append(
            "\(report.tenant): \(report.events.counted("event")) of "
                + report.activities.counted("activity", "activities")
                + decisions(report)
                + (report.decisionsOfOtherRules == 0
                    ? "" : " (\(report.decisionsOfOtherRules) by other rules, not recomputed)")
                + (report.activitiesErased == 0
                    ? ""
                    : ", personal data of "
                        + report.activitiesErased.counted("activity", "activities") + " erased")
                + (report.activitiesWithoutBeginning == 0
                    ? ""
                    : ", " + report.activitiesWithoutBeginning.counted("activity", "activities")
                        + " not folded, since the beginning is not there")
                + "; "
                + (report.isSound ? verdict(report) : found.counted("defect")))
        return lines
    }

    private static func line(_ defect: Defect) -> String {
        let place = [
            defect.activityID.map { "activity \($0)" },
            defect.position.map { "position \($0)" },
        ].compactMap { $0 }.joined(separator: ", ")
        return "\(defect.kind.rawValue)\(place.isEmpty ? "" : " (\(place))"): \(defect.detail)"
    }

    /// Claims no more than was looked at.
    private static func verdict(_ report: VerificationReport) -> String {
        let events = report.notFolded.counted("event is", "events are")
        let lag = report.notFolded > 0 ? "; \(events) not folded yet: verify again later" : ""
        if report.decisions == 0 { return "the log is sound" + lag }
        let folded = report.notFolded > 0 ? " as far as it is folded" : ""
        return report.areDecisionsMadeAgain
            ? "everything follows from the log\(folded)\(lag)"
            : "states follow from the log\(folded), and no decision is missing\(lag)"
    }

    private static func decisions(_ report: VerificationReport) -> String {
        guard report.decisions > 0 else { return "" }
        return ", \(report.decisions.counted("decision")) "
            + (report.areDecisionsMadeAgain ? "made again" : "counted")
    }
}
