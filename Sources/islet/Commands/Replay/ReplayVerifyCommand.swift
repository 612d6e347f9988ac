import Replay

extension Command {
    static let replayVerify = Command(
        path: ["replay", "verify"],
        summary: "Check that the log has no holes and that everything stored follows from it.",
        discussion: """
            Reads the tenant's whole log, folds it again, and compares snapshots and decisions.
            Exit code 1 when something does not fit. The server may run meanwhile.
            """,
        options: ReplaySource.options + [
            OptionSpec(
                "quick", .flag,
                "Fold and compare states; of decisions look only whether each event has one."),
            OptionSpec("json", .flag, "Print one JSON document instead of text."),
        ],
        exitCodes: ReplayCodes.reading,
        examples: [
            "islet replay verify", "islet replay verify --tenant pizzeria --quick --json",
            "islet replay verify --from /backup/pizzeria",
        ]
    ) { (arguments) async throws(CommandFailure) in
        let depth: Verifier.Depth = arguments.flag("quick") ? .quick : .full
        let report = try await ReplaySource.with(arguments) {
            history, bar async throws(ReplayError) in
            try await Verifier.verify(history, depth: depth) {
                bar.show("verifying", done: $0, of: $1)
            }
        }
        if arguments.flag("json") {
            Console.print(Console.json(report))
        } else {
            for line in VerificationText.lines(report) { Console.print(line) }
        }
        if !report.isSound { throw .reported }
    }
}

/// A verification for a person at a terminal.
enum VerificationText {
    static func lines(_ report: VerificationReport) -> [String] {
        var lines = report.defects.map { defect in
            let place = [
                defect.activityID.map { "activity \($0)" },
                defect.position.map { "position \($0)" },
            ].compactMap { $0 }.joined(separator: ", ")
            return "\(defect.kind.rawValue)\(place.isEmpty ? "" : " (\(place))"): \(defect.detail)"
        }
        if report.defectsUnnamed > 0 { lines.append("… and \(report.defectsUnnamed) more") }
        let found = report.defects.count + report.defectsUnnamed
        lines.append(
            "\(report.tenant): \(report.events) events of \(report.activities) activities, "
                + "\(report.decisions) decisions checked"
                + (report.decisionsOfOtherRules == 0
                    ? "" : " (\(report.decisionsOfOtherRules) by other rules, not recomputed)")
                + (report.activitiesWithoutBeginning == 0
                    ? ""
                    : ", \(report.activitiesWithoutBeginning) activities not folded, since their "
                        + "beginning is not there")
                + "; "
                + (report.isSound ? "everything follows from the log" : "\(found) defects"))
        return lines
    }
}
