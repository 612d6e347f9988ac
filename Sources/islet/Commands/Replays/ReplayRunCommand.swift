import Archive
import Domain
import Foundation
import ServerClient
import Terminal

extension Command {
    static let replayRun = Command(
        path: ["replay", "run"],
        summary: "Report the events of an export again, to another server, at any pace.",
        discussion: """
            Reproduces what happened, on a laptop: each activity's events come in their order, at
            the pace in which they were recorded, faster, or as fast as the server takes them. What
            the clock reported is left out, since that server's clock reports it itself. Times are
            moved so that the story begins now, those within the events too, and brought nearer to
            each other by FACTOR, so that each event happens when it is reported; with --times same
            they stay. At max they are moved so that the story ends now, as far apart as they were:
            what happened earlier counts as late, and alerts that are too old are not sent. To see
            the alerts, give --speed 600x. Where the tenant's allowance is used up it waits.
            Interrupted, the same command goes on where it stopped; it remembers that in FILE.run.
            Reads the API key from --key-file or ISLET_KEY. To copy a log exactly, use islet events
            import.
            """,
        operands: [
            Command.Operand(
                name: "FILE", help: "an export: its directory or .ndjson, here or at s3://…")
        ],
        options: [
            OptionSpec(
                "to", .text(placeholder: "URL"), "The server, such as http://127.0.0.1:8080."),
            OptionSpec("key-file", .text(placeholder: "FILE"), "Has the API key to report with."),
            OptionSpec(
                "speed", .text(placeholder: "FACTOR|max|real"),
                "How much faster than it happened.", default: "real"),
            OptionSpec(
                "ids", .choice(["same", "new"]),
                "New ones make activities of their own, also where the story was reported before.",
                default: "same"),
            OptionSpec(
                "times", .choice(["moved", "same"]), "Whether the story happens now or then.",
                default: "moved"),
            OptionSpec.json,
        ] + ArchiveLocation.options,
        exitCodes: ReplaySource.exitCodes,
        examples: [
            "islet replay run order-1042.ndjson --to http://127.0.0.1:8080 --speed 60x",
            "islet replay run /backup/pizzeria --to http://127.0.0.1:8080 --speed max --ids new",
        ]
    ) { (arguments) async throws(CommandFailure) in
        let place = arguments.operand("FILE")
        let layout = try ArchiveLocation.layout(place, arguments)
        let plan = try RunPlan(arguments)
        let done = try await ArchiveRun.reading([layout]) {
            export, bar async throws(CommandFailure) in
            var run = try ExportedRun(
                export, plan, note: ArchiveLocation.file(beside: place, ".run"))
            return try await run.report { bar.show("reporting", done: $0, of: $1) }
        }
        Console.answer(arguments, done, done.text)
    }
}

/// Where to report, and at what pace.
struct RunPlan: Sendable {
    let server: ServerURL
    let key: String
    /// How much faster than it happened; nil for as fast as the server takes it.
    let speed: Double?
    let hasNewIDs: Bool
    let movesTimes: Bool
    /// What times are compressed by. The order in which a server takes events says nothing of how
    /// far apart they are.
    var factor: Double { speed ?? 1 }
    /// Whether the story's end is moved to now, and not its beginning: where nothing waits for its
    /// time, what follows the beginning would lie ahead, and a server believes no such time.
    var endsNow: Bool { movesTimes && speed == nil }

    init(_ arguments: Arguments) throws(CommandFailure) {
        server = try ServerURL(try arguments.required("to"), option: "to")
        speed = try Self.speed(arguments.text("speed") ?? "real")
        hasNewIDs = arguments.text("ids") == "new"
        movesTimes = arguments.text("times") == "moved"
        if let file = arguments.text("key-file") {
            let text = try GivenFile.text(file, option: "key-file")
            SecretFile.warnIfOpen(file, option: "key-file")
            key = text.trimmingCharacters(in: .whitespacesAndNewlines)
        } else if let text = ProcessInfo.processInfo.environment["ISLET_KEY"], !text.isEmpty {
            key = text
        } else {
            throw .usage("--key-file is missing; give it or set ISLET_KEY to an API key")
        }
    }

    static func speed(_ text: String) throws(CommandFailure) -> Double? {
        switch text {
        case "max": return nil
        case "real": return 1
        default:
            guard let factor = OptionSpec.speed(text) else {
                throw .usage("--speed must be max, real, or \(OptionSpec.speedExpectation)")
            }
            return factor
        }
    }
}
