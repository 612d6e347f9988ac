import DatabaseAccess
import Domain
import EventStore
import Hosting
import JSON
import Terminal

extension Command {
    static let restoreStatus = Command(
        path: ["restore", "status"],
        summary: "Say which log the database has, and whether anything may be sent from it.",
        discussion: """
            A copy of a database is held until somebody accepts it: no push, no message to a webhook
            and no answer of the API comes from it. Exits with 1 when it is held, when something in
            it is ahead of its log, or when rows are hidden, so that nobody can say.
            """,
        options: [OptionSpec.json] + Database.options,
        examples: ["islet restore status", "islet restore status --json"]
    ) { (arguments) async throws(CommandFailure) in
        let (sighting, wrong, server) = try await Database.whileOpen(arguments, .readOnly) {
            database async throws(CommandFailure) -> (LogSighting, [String], String) in
            let identity = database.store.identity
            let sighting = try await Database.asked(try await identity.look())
            if let hidden = try await database.hiddenLog() {
                return (sighting, [hidden], database.server)
            }
            let inconsistencies = try await Database.asked(try await identity.inconsistencies())
            return (sighting, inconsistencies.map(LogExplanation.line), database.server)
        }
        let document: JSON = [
            "server": .string(server), "epoch": .integer(sighting.epoch),
            "isHeld": .bool(sighting.hold != nil), "why": .optional(sighting.hold?.rawValue),
            "lastSignOfLife": .string(sighting.beatAt.rfc3339),
            "faults": .array(wrong.map(JSON.string)),
        ]
        var lines = [
            "server \(server)", "epoch \(sighting.epoch)",
            "last sign of life \(sighting.beatAt.rfc3339)",
        ]
        if let hold = sighting.hold {
            lines.append("held: \(LogExplanation.why(hold))")
            lines.append("what to do: \(LogExplanation.remedy)")
        } else {
            lines.append("not held")
        }
        lines += wrong.map { "wrong: \($0)" }
        Console.answer(arguments, document.printed(), lines.joined(separator: "\n"))
        if sighting.hold != nil || !wrong.isEmpty { throw .reported }
    }

    static let restoreHold = Command(
        path: ["restore", "hold"],
        summary: "Hold a restored database: nothing is sent from it before it is accepted.",
        discussion: """
            For copies that Islet cannot tell from their original, such as the snapshot of a machine
            or a base backup that was not promoted. Servers stop folding, sending and answering
            within a second; `islet restore accept` ends it.
            """,
        options: [OptionSpec.json] + Database.options, examples: ["islet restore hold"]
    ) { (arguments) async throws(CommandFailure) in
        let server = try await Database.whileOpen(arguments) {
            database async throws(CommandFailure) -> String in
            try await Database.asked(try await database.store.identity.hold(.asked, in: nil))
            return database.server
        }
        let document: JSON = ["isHeld": .bool(true), "server": .string(server)]
        Console.done(
            arguments, document,
            "Nothing is sent from this database, on \(server), before `islet restore accept`.")
    }

    static let restoreAccept = Command(
        path: ["restore", "accept"],
        summary: "Say that a restored database is the log from now on.",
        discussion: """
            Begins a new epoch of the log. Who follows it learns where to begin again, every phone
            and webhook is sent the newest state of each activity that has not ended, with a
            timestamp after all that it may have seen, and starts of cards that were due are not
            tried again. Make sure that nothing sends from another copy. A log that is not held is
            the log already, and is refused unless --complete is given. While two hosts of the URL
            take writes, no log is accepted.
            """,
        options: [
            OptionSpec(
                "complete", .flag,
                "Nothing is missing, as after an upgrade of Postgres or a dump of a database that "
                    + "nothing wrote to: the epoch stays, and nothing is sent again."),
            OptionSpec(
                "clock-ahead-seconds", .integer(0...86_400),
                "How much the clock of the database before may have been ahead of this one's; "
                    + "pushes begin after that time. Not with --complete: nothing is sent then.",
                default: "10", excludes: "complete"),
            OptionSpec.json,
        ] + Database.options,
        examples: ["islet restore accept", "islet restore accept --complete"]
    ) { (arguments) async throws(CommandFailure) in
        let (isComplete, aheadSeconds) = (
            arguments.flag("complete"), arguments.integer("clock-ahead-seconds") ?? 0
        )
        let (server, epoch) = try await Database.whileOpen(arguments) {
            database async throws(CommandFailure) -> (String, Int64) in
            let identity = database.store.identity
            if let hidden = try await database.hiddenLog() { throw .failed(hidden) }
            let inconsistencies = try await Database.asked(try await identity.inconsistencies())
            let sighting = try await Database.asked(try await identity.look())
            if let complaint = database.hostsComplaint { throw .failed(complaint) }
            try LogStatusReport.refuse(inconsistencies)
            // Readers of changes and phones of a log in use would begin again for nothing.
            guard sighting.hold != nil || isComplete else {
                throw .failed(
                    "the log is not held, so there is nothing to accept. If this database is a "
                        + "copy: `islet restore hold` first")
            }
            let seen = LogStatus(epoch: sighting.epoch, hold: sighting.hold)
            let epoch = try await Database.asked(
                try await identity.accept(
                    LogAcceptance(isComplete: isComplete, aheadSeconds: aheadSeconds, seen: seen)))
            guard let epoch else {
                throw .failed(
                    "the log was accepted or held by somebody else in the meantime, and this "
                        + "command has changed nothing: `islet restore status` shows how it stands")
            }
            return (database.server, epoch)
        }
        let document: JSON = ["epoch": .integer(epoch), "server": .string(server)]
        Console.done(
            arguments, document,
            isComplete
                ? "This is the log, as before, on \(server): epoch \(epoch)."
                : "This is the log from now on, on \(server): epoch \(epoch). "
                    + "The newest states are sent again.")
    }
}
