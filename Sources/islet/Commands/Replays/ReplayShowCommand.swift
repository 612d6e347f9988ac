import Domain
import EventStore
import Explaining
import JSON
import Projections
import Replay
import Terminal

extension Command {
    static let activityOperand = Command.Operand(
        name: "ACTIVITY", help: "the activity's id, its CloudEvents subject")

    static let replayShow = Command(
        path: ["replay", "show"],
        summary: "Show an activity's history: events, states, decisions and their results.",
        discussion: """
            Folds the activity's events afresh; stored snapshots are not used. Decisions are those
            of the ledger, with what the log gives today where that is another. Can never push. For
            a pager: islet replay show ID --color always | less -R
            """,
        operands: [activityOperand],
        options: ReplaySource.options + [
            OptionSpec(
                "at", .place(number: "VERSION"),
                "Only how it stood with a version, or at a time as it was known then."),
            OptionSpec("phones", .flag, "Also each phone: what it was sent last, and why not."),
            OptionSpec("follow", .flag, "Go on with what comes, until Ctrl-C."), Paint.option,
            OptionSpec.json,
        ],
        exitCodes: ReplaySource.exitCodes,
        examples: [
            "islet replay show world-cup-2022-final",
            "islet replay show order-1042 --at 2026-05-01T19:02:00Z --phones",
            "islet replay show order-1042 --follow",
            "islet replay show order-1042 --tenant pizzeria --json",
            "islet replay show order-1042 --from /backup/pizzeria",
        ]
    ) { (arguments) async throws(CommandFailure) in
        let isJSON = arguments.flag("json")
        if arguments.flag("follow"), isJSON || arguments.text("at") != nil {
            throw .usage("--follow prints text as it comes; leave out --json and --at")
        }
        if arguments.text("from") != nil, arguments.flag("follow") || arguments.flag("phones") {
            throw .usage("an export has no phones, and nothing comes; leave out --from")
        }
        let activity = ActivityID(rawValue: arguments.operand("ACTIVITY"))
        try await ReplaySource.with(arguments) { history, _ async throws(ReplayError) in
            let shown = try await ShownTimeline(history, activity, arguments)
            if isJSON {
                Console.printDocument(shown.document)
            } else {
                shown.print()
            }
            if arguments.flag("follow") { try await shown.follow(history) }
        }
    }

    static let replayWhy = Command(
        path: ["replay", "why"],
        summary: "Say in sentences why an activity's phones were sent what they got.",
        operands: [activityOperand],
        options: ReplaySource.options + [
            OptionSpec(
                "version", .integer(1...Int(OptionSpec.positionMax)),
                "Default: the newest; of an activity that has ended, the last that mattered to "
                    + "phones."),
            OptionSpec.json,
        ],
        exitCodes: ReplaySource.exitCodes,
        examples: [
            "islet replay why order-1042 --version 7", "islet replay why order-1042 --json",
        ]
    ) { (arguments) async throws(CommandFailure) in
        let activity = ActivityID(rawValue: arguments.operand("ACTIVITY"))
        let wanted = arguments.integer("version").map(Int64.init)
        let explanation = try await ReplaySource.with(arguments) {
            history, _ async throws(ReplayError) in
            try await history.explain(wanted, of: activity)
        }
        let document: JSON = [
            "activity": .string(activity.rawValue),
            "version": .integer(explanation.findings.event.version),
            "sentences": .array(explanation.sentences.map(JSON.string)),
        ]
        Console.answer(arguments, document, explanation.sentences.joined(separator: "\n"))
    }
}

/// A timeline as it was asked for.
private struct ShownTimeline {
    private let timeline: Timeline
    private let index: Int?
    private let moment: Moment?
    private let phones: [PhoneRow]?
    private let text: TimelineText
    /// Last position of an export of all activities.
    private let exportEnd: Int64?

    init(
        _ history: History, _ activity: ActivityID, _ arguments: Arguments
    ) async throws(ReplayError) {
        timeline = try await Timeline.read(history, activity: activity)
        let place = arguments.place("at")
        index = if let place { try timeline.index(of: place) } else { nil }
        moment = if case .moment(let time) = place { time } else { nil }
        phones =
            arguments.flag("phones") ? try await history.database?.phones(activity) : nil
        text = TimelineText(
            paint: Console.paint(arguments), hasLedger: timeline.hasLedger,
            later: timeline.later)
        let isWholeExport = history.database == nil && history.onlyActivity == nil
        exportEnd = isWholeExport ? try await history.end() : nil
    }

    private var entries: [Timeline.Entry] {
        index.map { [timeline.entries[$0]] } ?? timeline.entries
    }

    var document: JSON {
        var shown = timeline
        shown.entries = entries
        return TimelineDocument.json(shown, phones: phones)
    }

    func print() {
        for entry in entries {
            for line in text.lines(entry, at: moment) { Console.print(line) }
        }
        if index == nil { Console.print("\n" + text.summary(timeline, exportEnd: exportEnd)) }
        if let phones { Console.print("\n" + text.phones(phones)) }
    }

    func follow(_ history: History) async throws(ReplayError) {
        var reader = try await TimelineReader(history, activity: timeline.activityID)
        let known = timeline.entries.last?.version ?? 0
        while !Console.isClosed {
            if Task.isCancelled { throw .interrupted }
            for entry in try await reader.next() where entry.version > known {
                for line in text.lines(entry, at: nil) { Console.print(line) }
            }
            try? await Task.sleep(for: .seconds(1))
        }
    }
}
