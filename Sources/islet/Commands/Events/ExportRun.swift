import Archive
import DatabaseAccess
import Domain
import EventStore
import Projections
import Replay
import Terminal

/// How an export is written.
enum ExportRun {
    static let to = OptionSpec(
        "to", .text(placeholder: "DIR|FILE|s3://…"),
        "Directory, or a file in .ndjson; either may be in a bucket.")

    static let options =
        [
            OptionSpec(
                "until", .text(placeholder: "POS|TIME"),
                "Last position, or the time after which nothing more was recorded, in RFC 3339."),
            OptionSpec(
                "sealed", .flag,
                "Seal what is personal with its activity's key, as islet archive does: islet erase "
                    + "then erases it here too. Only an import into the same tenant can open it.",
                excludes: "redact"),
            OptionSpec.json,
        ] + RedactionOptions.options + ArchiveLocation.options

    /// - Parameters:
    ///   - activity: nil for all.
    ///   - start: the first position that is wanted, or the time from which on.
    static func run(
        _ arguments: Arguments, activity: String?, from start: OptionSpec.Place
    ) async throws(CommandFailure) {
        let place = try arguments.required("to")
        let layout = try ArchiveLocation.layout(place, arguments)
        let key = try RedactionOptions.given(arguments)
        let isRedacted = key != nil || arguments.flag("redact")
        if isRedacted, arguments.flag("sealed") {
            throw .usage("--sealed keeps what --redact-key-file covers; give one of them")
        }
        let until = try ExportEnd.parse(arguments.text("until"))
        let summary = try await ArchiveRun.with(arguments, schema: .leaveAlone) {
            database, report async throws(CommandFailure) in
            let tenant = try await ReplaySource.tenant(
                arguments.text("tenant"), in: database.store)
            let first = try await firstPosition(
                start, activity, in: History(database.store, of: tenant))
            if activity == nil { try await refuseGaps(after: first - 1, tenant, database.store) }
            let selection = Selection(
                after: first - 1, until: arguments.text("until"), activity: activity,
                isRedacted: isRedacted, isSealed: arguments.flag("sealed"))
            let seals = SubjectSeals(
                database.store.erasure, of: tenant.id, ActivityCatalog.standard.eventTypes)
            let redaction =
                arguments.flag("redact") ? try RedactionOptions.made(for: place) : key
            do throws(ArchiveError) {
                return try await Export.run(
                    database.store.log, tenant: tenant,
                    origin: try await Manifest.Origin.of(tenant, in: database.store.tenants),
                    selection: selection, until: until, to: layout, redaction: redaction,
                    seals: selection.isSealed == true ? seals : nil,
                    report: report)
            } catch {
                guard case .finished(_, let position) = error else {
                    throw ArchiveRun.failure(error)
                }
                throw .failed("\(error); with --after \(position) it holds only what is new")
            }
        }
        if let tally = summary.redaction { warn(of: tally) }
        if arguments.flag("json") {
            Console.print(Console.json(summary))
        } else {
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
    }

    /// An export without what was dropped would look like one of a log that lost it.
    private static func refuseGaps(
        after position: Int64, _ tenant: Tenant, _ store: EventStore
    ) async throws(CommandFailure) {
        do throws(EventStoreError) {
            let archives = try await store.retention.archives(tenant.id)
            guard let last = archives.last, position < last.through,
                try await store.retention.dropped(tenant.id) > 0
            else { return }
            throw EventStoreError.schema(
                detail:
                    "positions up to \(last.through) are archived, and some of them are dropped: "
                    + archives.map(\.place).joined(separator: ", ")
                    + "; --after \(last.through) exports what came later")
        } catch { throw .failed(Database.explanation(of: error)) }
    }

    private static func warn(of tally: RedactionTally) {
        let covered = tally.valuesCovered.counted(
            "value in the events' data was", "values in the events' data were")
        Console.note("\(covered) covered.")
        guard tally.valuesUnlisted > 0 else { return }
        let members = tally.unlisted.map { "  \($0.type) \($0.path)" }
        let warning =
            "warning: \(tally.valuesUnlisted) of them are in members that no schema names; these "
            + "are covered with their names, and listed here as the export calls them:"
        let more = tally.hasMoreUnlisted ? ["  and more"] : []
        Console.note(([warning] + members + more).joined(separator: "\n"))
    }

    /// - Throws: when there is no such activity; else an export of it would be empty.
    private static func firstPosition(
        _ place: OptionSpec.Place, _ activity: String?, in history: History
    ) async throws(CommandFailure) -> Int64 {
        do throws(ReplayError) {
            if let activity { try await history.require(ActivityID(rawValue: activity)) }
            return switch place {
            case .number(let position): position
            case .moment(let moment): try await WhatIf.position(of: moment, in: history)
            }
        } catch { throw ReplaySource.failure(error) }
    }
}
