import Domain
import Explaining
import Foundation
import Projections
import Replay
import Terminal

extension Command {
    static let replayTrace = Command(
        path: ["replay", "trace"],
        summary: "Write what this program's fold makes of each event, for islet replay diff.",
        discussion: """
            One line of JSON for each event of the tenant's log: what phones are shown, the state's
            fingerprint, the decision. Keep it from the version in service, change a fold, and see
            with islet replay diff what the change does to the past. Exit code 1 when islet archive
            or islet erase changed activities of the tenant meanwhile: run it again afterwards.
            """,
        options: ReplaySource.options + [
            OptionSpec(
                "to", .text(placeholder: "FILE"),
                "Where to write; one that exists is replaced once the new one is whole.")
        ],
        exitCodes: ReplaySource.exitCodes,
        examples: ["islet replay trace --tenant pizzeria --to trace-of-today.ndjson"]
    ) { (arguments) async throws(CommandFailure) in
        let path = try arguments.required("to")
        try arguments.refuseSharedFiles(written: ["to"], read: ["from"])
        try await ReplacedFile.write(path, option: "to") { (file) async throws(CommandFailure) in
            try await ReplaySource.with(arguments) { history, bar async throws(ReplayError) in
                try await FoldTrace.write(
                    history, program: Version.current,
                    to: { (lines) throws(ReplayError) in
                        do { try file.write(contentsOf: lines) } catch {
                            throw .trace("\(path) cannot be written; is the disk full?")
                        }
                    }, progress: { bar.show("folding", done: $0, of: $1) })
            }
        }
    }

    static let replayDiff = Command(
        path: ["replay", "diff"],
        summary: "Compare what two versions of the fold make of the same log.",
        discussion: """
            A fold is 'this' program, the path of another islet program, which is run on the same
            database or export, or a file that islet replay trace wrote. Each activity of which they
            do not make the same is listed with the first event that made them differ. If the log
            grew in between, they are compared up to the end of the shorter one.
            """,
        options: [
            OptionSpec(
                "fold", .text(placeholder: "this|PROGRAM|FILE"), "Given twice: what to compare.",
                repeats: true),
            OptionSpec.json, Paint.option,
        ] + ReplaySource.options,
        exitCodes: ["3 they differ"] + ReplaySource.exitCodes,
        examples: [
            "islet replay diff --fold /opt/islet-0.2/islet --fold this",
            "islet replay diff --fold trace-of-today.ndjson --fold this --from /backup/pizzeria",
        ]
    ) { (arguments) async throws(CommandFailure) in
        let folds = arguments.texts("fold")
        guard folds.count == 2 else {
            throw .usage("--fold must be given twice: what to compare, and with what")
        }
        let report = try await FoldSource.compare(folds, arguments)
        Console.answer(
            arguments, report,
            FoldText(paint: Console.paint(arguments)).lines(report).joined(separator: "\n"))
        if !report.isEqual { throw .found }
    }
}

/// Two folds' comparison for a person at a terminal.
private struct FoldText {
    let paint: Paint

    func lines(_ report: FoldComparison.Report) -> [String] {
        var lines: [String] = []
        for difference in report.differences {
            lines.append(
                paint(.bold, difference.activity)
                    + " differs from v\(difference.version) on (\(difference.type), position "
                    + "\(difference.position)); \(difference.events.counted("event"))")
            lines += difference.shown.map {
                "    \($0.member): \(paint(.red, $0.before ?? "–")) → "
                    + paint(.green, $0.after ?? "–")
            }
            lines += difference.others.map { "    \($0)" }
        }
        let more = report.activitiesDiffering - report.differences.count
        if more > 0 { lines.append("… and \(more.counted("more activity", "more activities"))") }
        let end =
            report.endsAt.map { "; compared up to position \($0), where one of them ends" } ?? ""
        let heads = [report.first, report.second].map(Self.name).joined(separator: " and ")
        lines.append(
            "\(report.first.tenant): \(report.events.counted("event")) by \(heads); "
                + (report.isEqual
                    ? "they make the same of all"
                    : report.eventsDiffering.counted("event") + " of "
                        + report.activitiesDiffering.counted("activity", "activities") + " differ")
                + end)
        return lines
    }

    private static func name(_ head: FoldTrace.Head) -> String {
        let folds = Set(head.foldVersions.values).sorted().map(String.init)
        return "islet \(head.program) (rules \(head.rulesVersion), folds "
            + "\(folds.joined(separator: ", ")))"
    }
}
