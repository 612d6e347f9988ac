import Archive
import Domain
import Importers
import JSON
import Terminal

extension Command {
    static let replayConvert = Command(
        path: ["replay", "convert"],
        summary: "Make events of other people's files: matches of football, rows of CSV.",
        discussion: """
            Writes CloudEvents, one a line, to standard output, as POST /v1/events takes them, or
            with --to an export, which islet replay run, replay show and events import take. The
            same files give the same events, with the same ids.
            openfootball: JSON of a tournament (worldcup.json, euro.json); times without a zone are
            taken as UTC, a goal of minute m as scored in its middle, and of a shoot-out, whose
            kicks are not in it, as many as its score has, by turns. A match without a score, whose
            goals do not make its score, or whose shoot-out is level, is left out. One without a
            time is taken to begin at 12:00 UTC, and goals after 90 minutes without extra time are
            taken for added time. All of these are named on standard error; --strict refuses them.
            statsbomb: one match's events (data/events in open-data). Under --matches belongs its
            season's list (data/matches), whose times are taken as UTC; without it --kickoff and
            --competition say what is missing, and the team whose line-up comes first is at home.
            wyscout: one match (processed-v2/files in wyscout-soccer-match-event-dataset). Under
            --matches belongs the list of its competition (matches_*.json), which alone knows the
            substitutions; without it --kickoff, --competition and --home say what is missing.
            A match of these two whose goals do not make the score in the list is refused. One that
            is not over, as the list (match_status) or the last rows say, gets no full time and is
            named on standard error, as is one of openfootball with a status such as ABANDONED;
            --strict refuses it.
            csv-mapping: a table with a column for each step; --mapping says which event a row makes
            of which column: {"subject": COLUMN, "source": TEXT, "events": [{"type": TYPE, "time":
            COLUMN, "data": {FIELD: COLUMN}}]}. For a column there may be {"constant": VALUE}, but
            for that of a time. Without "source" it is /csv. Other members are refused. Times are in
            RFC 3339; an empty one makes no event. Events of one time are in the order of the rows,
            and of a row in that of the mapping.
            A row has the same id in every table. Nothing is converted that a server refuses: with
            --rejects such rows of a table go to a file, each with the reason.
            A file may have \(Conversion.fileBytesMax >> 20) MiB, a mapping 1 MiB.
            """,
        operands: [Command.Operand(name: "FILE", help: "what is to be converted")],
        options: [
            OptionSpec(
                "from", .choice(["openfootball", "statsbomb", "wyscout", "csv-mapping"]),
                "What the file is."),
            OptionSpec(
                "only", .text(placeholder: "TEXT"),
                "Only activities whose id contains this, such as argentina."),
            OptionSpec(
                "to", .text(placeholder: "DIR|FILE|s3://…"),
                "Write an export there: a directory, or a file in .ndjson; either may be in a "
                    + "bucket."),
            OptionSpec(
                "matches", .text(placeholder: "FILE"),
                "For statsbomb and wyscout: the list that the match is in."),
            OptionSpec(
                "kickoff", .text(placeholder: "TIME"),
                "For statsbomb and wyscout: when the match began, in RFC 3339."),
            OptionSpec(
                "competition", .text(placeholder: "NAME"),
                "For statsbomb and wyscout: what the match belongs to."),
            OptionSpec(
                "home", .text(placeholder: "TEAM"),
                "For statsbomb and wyscout: the team at home, by its name in the file."),
            OptionSpec("mapping", .text(placeholder: "FILE"), "For csv-mapping."),
            OptionSpec(
                "rejects", .text(placeholder: "FILE"),
                "For csv-mapping: where rows go that make no events, each with the reason."),
            OptionSpec(
                "strict", .flag,
                "For openfootball, statsbomb and wyscout: refuse a file of which something is left "
                    + "out or assumed."),
            OptionSpec(
                "json", .flag, "With --to: print one JSON document instead of text.", needs: "to"),
        ] + ArchiveLocation.options,
        exitCodes: ["141 nobody reads the output"],
        examples: [
            "islet replay convert worldcup.json --from openfootball --only argentina-france",
            "islet replay convert 3795506.json --from statsbomb --matches 43.json "
                + "--to final.ndjson",
            "islet replay convert 1694440.json --from wyscout "
                + "--matches matches_European_Championship.json --to final.ndjson",
            "islet replay convert orders.csv --from csv-mapping --mapping orders.json "
                + "--rejects bad.csv",
        ]
    ) { (arguments) async throws(CommandFailure) in
        let conversion = try Conversion(arguments)
        let converted = try conversion.converted()
        for line in converted.remarks { Console.note(line) }
        let events = converted.events
        guard let place = arguments.text("to") else {
            for event in events { Console.write(event.line + "\n") }
            return
        }
        let layout = try ArchiveLocation.layout(place, arguments)
        do throws(ArchiveError) {
            _ = try await Export.write(events.recorded, of: conversion.format, to: layout)
        } catch { throw ArchiveRun.failure(error) }
        let activities = Set(events.map(\.subject))
        let document: JSON = [
            "events": .integer(events.count),
            "activities": .array(activities.sorted().map(JSON.string)), "to": .string(place),
        ]
        Console.answer(
            arguments, document,
            "Wrote \(events.count.counted("event")) of "
                + activities.count.counted("activity", "activities") + " to \(place)"
                + (activities.count == 1 ? ": \(events[0].subject)." : "."))
    }
}
