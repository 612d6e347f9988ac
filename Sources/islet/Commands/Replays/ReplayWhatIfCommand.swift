import Domain
import Foundation
import Projections
import Replay
import Terminal

extension Command {
    static let replayWhatIf = Command(
        path: ["replay", "what-if"],
        summary: "Take the whole past through another policy: alerts, budgets, pushes, bytes.",
        discussion: """
            Decides about every event twice: under the policies that were in force, and with the
            one that is tried. The file has what PUT /v1/policies/KIND takes, of one kind (give
            --kind) or of several, each under its name. Alerts are compared by the version that
            wanted them: added, removed, moved to another version's push, or with another text in
            some language, or by another key. Those that quiet hours would still keep back when the
            known past ends are counted by themselves: they come when the hours end. With limits it
            fits into a pipeline: exit code 3 when more alerts change.
            What the clock reports is taken as it was recorded. It is not known what else the
            policy would have had it report, such as the end of its quiet hours, an end after
            another endGraceSeconds, silence after overdueStepSeconds or a fresh card by
            restartBeforeLimitSeconds. If the policy changes these, it says so.
            Exit code 1 when islet archive or islet erase changed activities of the tenant
            meanwhile: run it again afterwards.
            """,
        options: [
            OptionSpec("policy", .text(placeholder: "FILE"), "The policy to try, as JSON."),
            OptionSpec(
                "threshold", .text(placeholder: "NAME=VALUE"),
                "Instead of a file: the newest policy of --kind with another threshold.",
                repeats: true),
            OptionSpec(
                "kind", .choice(ActivityCatalog.standard.kinds.map { $0.name }),
                "Look at activities of this kind only."),
            OptionSpec(
                "since", .place(number: "POSITION"),
                "Try the policy, and count, from there on; what came before stays as it was."),
            OptionSpec(
                "alerts-added-max", .integer(0...Int.max), "Exit code 3 when more are added."),
            OptionSpec(
                "alerts-removed-max", .integer(0...Int.max),
                "Exit code 3 when more are removed; those kept back do not count."),
            OptionSpec(
                "alerts-moved-max", .integer(0...Int.max), "Exit code 3 when more are moved."),
            OptionSpec.json,
        ] + ReplaySource.options,
        exitCodes: ["3 more alerts change than allowed"] + ReplaySource.exitCodes,
        examples: [
            "islet replay what-if --policy pizza.json --kind PizzaDelivery",
            "islet replay what-if --threshold coalesceSeconds=30 --kind Match --since "
                + "2026-05-01T00:00:00Z",
            "islet replay what-if --policy all.json --alerts-removed-max 0 --json",
        ]
    ) { (arguments) async throws(CommandFailure) in
        let trial = try trial(arguments)
        let kind = arguments.text("kind")
        let report = try await ReplaySource.with(arguments) {
            history, bar async throws(ReplayError) in
            let tried = try await trial(history)
            let since = try await WhatIf.position(
                of: arguments.place("since") ?? .number(1), in: history)
            return try await WhatIf.run(history, trying: tried, since: since, kind: kind) {
                bar.show("trying", done: $0, of: $1)
            }
        }
        Console.answer(arguments, report, WhatIfText.lines(report).joined(separator: "\n"))
        let limits = [
            ("added", report.changes.added), ("removed", report.changes.removed),
            ("moved", report.changes.moved),
        ]
        let exceeded = limits.filter { name, count in
            arguments.integer("alerts-\(name)-max").map { count > $0 } ?? false
        }
        for (name, count) in exceeded {
            let alerts = count.counted("alert")
            Console.note("islet replay what-if: \(alerts) \(name), more than allowed")
        }
        if !exceeded.isEmpty { throw .found }
    }

    /// - Returns: what gives the policy to be tried. That of a file is read at once; thresholds
    ///   change the newest one of the log's tenant.
    private static func trial(
        _ arguments: Arguments
    ) throws(CommandFailure) -> @Sendable (History) async throws(ReplayError) -> PolicyTrial {
        let (kind, texts) = (arguments.text("kind"), arguments.texts("threshold"))
        switch (arguments.text("policy"), texts.isEmpty) {
        case (let path?, true):
            let data = try GivenFile.read(path)
            do throws(ReplayError) {
                let trial = try PolicyTrial(file: data, kind: kind)
                return { _ in trial }
            } catch { throw .usage("\(path): \(error)") }
        case (nil, false):
            guard let kind else { throw .usage("--kind is missing: a threshold is one kind's") }
            let thresholds = try thresholds(texts)
            return { (history) async throws(ReplayError) in
                try await PolicyTrial(thresholds: thresholds, kind: kind, in: history)
            }
        default: throw .usage("give either --policy FILE or --threshold NAME=VALUE")
        }
    }

    private static func thresholds(
        _ texts: [String]
    ) throws(CommandFailure) -> [String: Double] {
        var thresholds: [String: Double] = [:]
        for text in texts {
            let parts = text.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, let value = Double(decimal: parts[1]), value.isFinite
            else {
                throw .usage(
                    "--threshold must be NAME=VALUE with a number, such as coalesceSeconds=30")
            }
            guard thresholds.updateValue(value, forKey: String(parts[0])) == nil else {
                throw .usage("--threshold says \(parts[0]) twice; say it once")
            }
        }
        return thresholds
    }
}

/// What another policy would have made of the past, for a person at a terminal.
enum WhatIfText {
    static func lines(_ report: WhatIfReport) -> [String] {
        let changes = report.changes
        var lines = [
            "\(report.tenant): \(report.events.counted("event")) of "
                + report.activities.counted("activity", "activities")
                + ", of which \(report.activitiesAffected) would have gone otherwise",
            "alerts: \(changes.added) added, \(changes.removed) removed, \(changes.moved) moved, "
                + "\(changes.reworded) in other words",
        ]
        if changes.keptBack > 0 {
            lines[1] += "; \(changes.keptBack) kept back until quiet hours end"
        }
        lines += report.triedInPart.sorted { $0.key < $1.key }.map { kind, names in
            "tried in part only: \(names.joined(separator: ", ")) of \(kind), as what the clock "
                + "reports is taken as it was recorded"
        }
        lines.append("")
        if report.activitiesLeftOut > 0 {
            lines[0] +=
                "; \(report.activitiesLeftOut) left out from an event on that cannot be folded"
        }
        let (before, after) = (report.before, report.after)
        let rows: [(String, Int, Int)] = [
            ("decisions with words", before.alerts, after.alerts),
            ("pushes", before.pushes, after.pushes),
            ("at priority 10", before.immediate, after.immediate),
            ("lowered: budget spent", before.lowered, after.lowered),
            ("activities over budget", before.activitiesOverBudget, after.activitiesOverBudget),
            ("held back by the pace", before.held, after.held),
            ("decisions merged", before.merged, after.merged),
            ("bytes for one phone", before.bytes, after.bytes),
        ]
        lines += Table.text(
            ["", "as it was", "tried", "difference"],
            rows.map { name, old, new in
                [name, "\(old)", "\(new)", new > old ? "+\(new - old)" : "\(new - old)"]
            }
        ).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard !report.mostAffected.isEmpty else { return lines }
        lines += ["", "Most affected:"]
        lines += report.mostAffected.map { affected in
            let changes = affected.examples.map { "v\($0)" }.joined(separator: ", ")
            let more = affected.changes.total - affected.examples.count
            let alerts = affected.changes.total.counted("alert changes", "alerts change")
            let pushes = affected.pushes.counted("push becomes", "pushes become")
            return "  \(affected.activity): \(alerts)"
                + (changes.isEmpty ? "" : " (\(changes)\(more > 0 ? " …" : ""))")
                + ", \(pushes) \(affected.pushesTried)"
        }
        return lines
    }
}
