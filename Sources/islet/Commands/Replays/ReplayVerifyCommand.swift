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
            not fit. A server, islet archive and islet erase may run meanwhile. Without --tenant it
            takes all tenants, one after the other, and says at the end what they come to together;
            with --json they are then in `tenants`. A tenant that is moving to this cell, or has
            left it, is left out.
            """,
        options: ReplaySource.sources(
            of: OptionSpec.tenant("Whose log. Without it: all tenants', one after the other.")
        ) + [
            OptionSpec(
                "decisions", .flag,
                "Make every decision again as well, and compare it with the ledger's. Takes twice "
                    + "as long. After a fold was mended it names those of before, which stand."),
            OptionSpec.json,
        ],
        exitCodes: ReplaySource.exitCodes,
        examples: [
            "islet replay verify", "islet replay verify --tenant pizzeria --decisions --json",
            "islet replay verify --from /backup/pizzeria",
        ]
    ) { (arguments) async throws(CommandFailure) in
        if arguments.flag("decisions"), arguments.text("from") != nil {
            throw .usage("an export has no ledger to compare with; leave out --decisions")
        }
        let depth: Verifier.Depth = arguments.flag("decisions") ? .decisions : .states
        let reports = try await ReplaySource.withEach(arguments) {
            history, bar async throws(ReplayError) in
            try await Verifier.verify(history, depth: depth) {
                bar.show("verifying", done: $0, of: $1)
            }
        }
        let text = VerificationText.lines(reports).joined(separator: "\n")
        if reports.count == 1 {
            Console.answer(arguments, reports[0], text)
        } else {
            Console.answer(arguments, VerificationSum(reports), text)
        }
        if !reports.allSatisfy(\.isSound) { throw .reported }
    }
}

/// What `--json` prints of several tenants.
struct VerificationSum: Encodable {
    /// As each would be printed alone.
    var tenants: [VerificationReport]
    var events: Int
    var activities: Int
    var decisions: Int
    /// Named or not.
    var defects: Int

    init(_ reports: [VerificationReport]) {
        tenants = reports
        let sum = VerificationReport(sumOf: reports)
        (events, activities, decisions) = (sum.events, sum.activities, sum.decisions)
        defects = sum.defectsUnnamed
    }
}

/// A verification for a person at a terminal.
enum VerificationText {
    /// Of each, and of several what they come to together.
    static func lines(_ reports: [VerificationReport]) -> [String] {
        let each = reports.flatMap { lines($0) }
        return reports.count > 1 ? each + [summary(VerificationReport(sumOf: reports))] : each
    }

    static func lines(_ report: VerificationReport) -> [String] {
        var lines = report.defects.map(line)
        if report.defectsUnnamed > 0 { lines.append("… and \(report.defectsUnnamed) more") }
        lines += report.notes.map { "note: " + line($0) }
        if report.notesUnnamed > 0 {
            lines.append("… and \(report.notesUnnamed.counted("more note"))")
        }
        return lines + [summary(report)]
    }

    private static func summary(_ report: VerificationReport) -> String {
        let found = report.defects.count + report.defectsUnnamed
        return "\(report.tenant): \(report.events.counted("event")) of "
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
            + (report.isSound ? verdict(report) : found.counted("defect"))
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
