import Archive
import DatabaseAccess
import Domain
import EventStore
import Replay
import Terminal

extension Command {
    static let eventsExport = Command(
        path: ["events", "export"],
        summary: "Write a tenant's log, or a part of it, to NDJSON files with checksums.",
        discussion: """
            One CloudEvents object a line, as the API gives it, in segment files with a manifest.
            Interrupted, by Ctrl-C or a crash: the same command again goes on where it stopped. A
            finished export takes nothing in any more: give another place for what comes later.
            The server may run meanwhile; what is recorded after the start is not exported.
            Every replay command reads an export with --from, and islet replay run reports it.
            """,
        options: [
            ReplaySource.tenantOption,
            OptionSpec(
                "to", .text(placeholder: "DIR|FILE|s3://…"),
                "Directory, or a file in .ndjson; either may be in a bucket."),
            OptionSpec(
                "after", .integer(0...Int(OptionSpec.positionMax)),
                "Only later positions of the log."),
            OptionSpec(
                "since", .place(number: "POSITION"),
                "Only what was recorded from there on; an activity whose beginning is not there "
                    + "cannot be folded.", excludes: "after"),
            OptionSpec(
                "activity", .text(placeholder: "ID"), "Only the events of this activity."),
            OptionSpec(
                "until", .text(placeholder: "POS|TIME"),
                "Last position, or the time after which nothing more was recorded, in RFC 3339."),
            OptionSpec(
                "sealed", .flag,
                "Seal what is personal with its activity's key, as islet archive does: islet erase "
                    + "then erases it here too. Only an import into the same tenant can open it.",
                excludes: "redact"),
            OptionSpec.json,
        ] + RedactionOptions.options + ArchiveLocation.options + Database.options,
        exitCodes: LongRun.exitCodes,
        examples: [
            "islet events export --tenant pizzeria --to /backup/pizzeria",
            "islet events export --activity order-1042 --to order-1042.ndjson",
            "islet events export --activity order-1042 --redact --to support.ndjson",
            "islet events export --since 2026-05-01T00:00:00Z --until 2026-06-01T00:00:00Z "
                + "--to may --json",
        ]
    ) { (arguments) async throws(CommandFailure) in try await export(arguments) }

    private static func export(_ arguments: Arguments) async throws(CommandFailure) {
        let activity = arguments.text("activity")
        let start =
            arguments.place("since") ?? .number(Int64(arguments.integer("after") ?? 0) + 1)
        let place = try arguments.required("to")
        let layout = try ArchiveLocation.layout(place, arguments)
        let key = try RedactionOptions.given(arguments)
        let isRedacted = key != nil || arguments.flag("redact")
        if isRedacted, arguments.flag("sealed") {
            throw .usage("--sealed keeps what --redact-key-file masks; give one of them")
        }
        let until = try ExportEnd.parse(arguments.text("until"))
        let option = arguments.text("since") == nil ? "--after" : "--since"
        try ExportEnd.refuse(until, before: start, by: option)
        let summary = try await LongRun.with(arguments, schema: .leaveAlone) {
            database, bar async throws(CommandFailure) in
            let tenant = try await ReplaySource.tenant(
                arguments.text("tenant"), in: database.store)
            let history = History(database.store, of: tenant)
            let first = try await ReplaySource.asked(
                try await firstPosition(start, activity, in: history))
            let last = try await ReplaySource.asked(
                try await ExportEnd.position(until, in: history))
            if case .number = start {
                try await refuseBeyond(first, by: option, tenant, database.store)
            }
            if activity == nil { try await refuseGaps(after: first - 1, tenant, database.store) }
            let selection = Selection(
                after: first - 1, until: arguments.text("until"), activity: activity,
                isRedacted: isRedacted, isSealed: arguments.flag("sealed"))
            let seals = SubjectSeals(database.store.erasure, of: tenant.id)
            let redaction: Redaction? =
                if arguments.flag("redact") {
                    try await RedactionOptions.made(for: place, at: layout)
                } else { key }
            do throws(ArchiveError) {
                return try await Export.run(
                    database.store.log, tenant: tenant,
                    origin: try await Manifest.Origin.of(tenant, in: database.store.tenants),
                    selection: selection, until: last, to: layout, redaction: redaction,
                    seals: selection.isSealed == true ? seals : nil,
                    report: { bar.show($0) })
            } catch {
                guard case .finished(_, let position) = error else {
                    throw ArchiveRun.failure(error)
                }
                throw .failed("\(error); with --after \(position) it has only what is new")
            }
        }
        if let tally = summary.redaction { warn(of: tally) }
        if arguments.flag("json") { return Console.printDocument(summary) }
        Console.print(
            "Exported \(summary.events.counted("event")) of \(summary.tenant), positions "
                + "\(summary.firstPosition) to \(summary.lastPosition), in "
                + summary.segments.counted("segment")
                + " (\(summary.segmentsKept) of them kept).\n"
                + "Chain \(summary.chain)")
        if let activity, let name = summary.activity, name != activity {
            Console.print("\(activity) is \(name) in it.")
        }
        if arguments.flag("redact") {
            Console.print(
                "The secret of its pseudonyms is in \(RedactionOptions.file(beside: place)); "
                    + "do not pass that on.")
        }
    }

    /// Positions are never taken back, so one beyond the log is another log's. At its end there is
    /// only nothing new.
    private static func refuseBeyond(
        _ first: Int64, by option: String, _ tenant: Tenant, _ store: EventStore
    ) async throws(CommandFailure) {
        let head = try await Database.asked(try await store.log.head(tenant.id))
        guard first - 1 > head else { return }
        throw .failed(
            "\(option) lies beyond the log of \(tenant.name), which ends at position \(head); "
                + "give a position up to there, or the --tenant and the database that you mean")
    }

    /// An export without what was dropped would look like one of a log that lost it.
    private static func refuseGaps(
        after position: Int64, _ tenant: Tenant, _ store: EventStore
    ) async throws(CommandFailure) {
        let archives = try await Database.asked(try await store.retention.archives(tenant.id))
        guard let last = archives.last, position < last.through,
            try await Database.asked(try await store.retention.dropped(tenant.id)) > 0
        else { return }
        throw .failed(
            "positions up to \(last.through) are archived, and some of them are dropped: "
                + archives.map(\.place).joined(separator: ", ")
                + "; --after \(last.through) exports what came later")
    }

    private static func warn(of tally: RedactionTally) {
        let masked = tally.valuesMasked.counted(
            "value in the events' data was", "values in the events' data were")
        Console.note("\(masked) masked.")
        guard tally.valuesUnlisted > 0 else { return }
        let members = tally.unlisted.map { "  \($0.type) \($0.path)" }
        let warning =
            "warning: \(tally.valuesUnlisted) of them are in members that no schema names; these "
            + "are masked with their names, and listed here as the export calls them:"
        let more = tally.hasMoreUnlisted ? ["  and more"] : []
        Console.note(([warning] + members + more).joined(separator: "\n"))
    }

    /// - Throws: when there is no such activity; else an export of it would be empty.
    private static func firstPosition(
        _ place: HistoryPlace, _ activity: String?, in history: History
    ) async throws(ReplayError) -> Int64 {
        if let activity { try await history.require(ActivityID(rawValue: activity)) }
        return try await WhatIf.position(of: place, in: history)
    }
}

/// What `--until` says.
enum ExportEnd {
    static func parse(_ text: String?) throws(CommandFailure) -> HistoryPlace? {
        guard let text else { return nil }
        if let position = Int64(text), 0...OptionSpec.positionMax ~= position {
            return .number(position)
        }
        if let moment = Moment(rfc3339: text) { return .moment(moment) }
        throw .usage(
            "--until must be a position, or a time with a zone such as 2026-05-01T12:00:00Z")
    }

    /// - Returns: of a time, the position of the last event that was recorded no later.
    static func position(
        _ until: HistoryPlace?, in history: History
    ) async throws(ReplayError) -> Int64? {
        switch until {
        case nil: nil
        case .number(let position): position
        case .moment(let moment):
            try await WhatIf.position(of: moment.adding(microseconds: 1), in: history) - 1
        }
    }

    /// Where both are places of one sort. After an end there is nothing yet, which is no slip: the
    /// same job may run tomorrow.
    static func refuse(
        _ until: HistoryPlace?, before start: HistoryPlace, by option: String
    ) throws(CommandFailure) {
        let isContrary =
            switch (start, until) {
            case (.number(let first), .number(let last)?):
                first - (option == "--since" ? 0 : 1) > last
            case (.moment(let first), .moment(let last)?): first > last
            case (.number, _), (.moment, _): false
            }
        guard isContrary else { return }
        throw .usage(
            "--until ends the export before \(option) begins it; give a later --until or an "
                + "earlier \(option)")
    }
}
