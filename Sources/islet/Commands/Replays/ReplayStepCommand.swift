import Domain
import Glibc
import Replay
import Terminal

extension Command {
    static let replayStep = Command(
        path: ["replay", "step"],
        summary: "Walk through an activity's history at the terminal, one event at a time.",
        discussion: """
            Keys: n or → next, b or ← back, g to a version or time, a on to the next alert, f on
            until a field changes, q end. Needs a terminal of 80 by 24 or more; islet replay show
            prints the same anywhere.
            """,
        operands: [activityOperand],
        options: ReplaySource.options + [
            OptionSpec("at", .place(number: "VERSION"), "Begin with a version, or at a time."),
            Paint.option,
        ],
        exitCodes: ReplaySource.exitCodes,
        examples: [
            "islet replay step order-1042", "islet replay step order-1042 --at 7 --tenant pizzeria",
        ]
    ) { (arguments) async throws(CommandFailure) in
        guard isatty(0) == 1, isatty(1) == 1 else {
            throw .usage("it needs a terminal; islet replay show prints the same anywhere")
        }
        let activity = ActivityID(rawValue: arguments.operand("ACTIVITY"))
        let place = arguments.place("at")
        // The database is not needed any more while somebody looks.
        let walk = try await ReplaySource.with(arguments) {
            history, _ async throws(ReplayError) in
            var walk = TimelineWalk(try await Timeline.read(history, activity: activity))
            if let place { try walk.jump(to: place) }
            return walk
        }
        if await StepSession(walk, Console.paint(arguments)).run() {
            throw .interrupted("interrupted; nothing was changed")
        }
    }
}
