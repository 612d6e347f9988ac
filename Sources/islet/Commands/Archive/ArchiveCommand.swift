import Archive
import DatabaseAccess
import Domain
import EventStore
import Projections
import Terminal

extension Command {
    static let archive = Command(
        path: ["archive"],
        summary: "Write a tenant's log to files and drop activities that ended long ago.",
        discussion: """
            Writes every event that was recorded before then and is not archived yet, as islet
            events export does, into a directory of its own below --to, and reads the files
            once more. Then activities that have ended and changed last before then are dropped
            from the database with all that belongs to them, a few at a time: events, decisions
            and cards. One whose card is still to be dismissed stays until then, and all stay while
            an earlier archive that has events of theirs cannot be read. A server may run
            meanwhile. What the ledger and the cards said is in ledger.ndjson, without push tokens;
            in a bucket it is in objects below that name. An event of a dropped activity that comes
            again begins a new activity. Run it every night.
            """,
        options: [
            ReplaySource.tenantOption,
            OptionSpec(
                "to", .text(placeholder: "DIR|s3://…"),
                "Directory of the tenant's archives, or a place in a bucket; keep it as you keep "
                    + "backups."),
            OptionSpec(
                "older-than-days", .integer(1...36_500),
                "Days since the last change of an activity until it is dropped."),
            OptionSpec(
                "kind-days", .text(placeholder: "KIND=DAYS"),
                "The same for one kind of activity, such as Match=365.", repeats: true),
            OptionSpec("keep", .flag, "Archive only, and drop nothing."),
            OptionSpec.json,
        ] + ArchiveLocation.options + Database.options,
        exitCodes: LongRun.exitCodes,
        examples: [
            "islet archive --tenant pizzeria --to /archive/pizzeria --older-than-days 90",
            "islet archive --tenant pizzeria --to s3://archive/pizzeria --older-than-days 90 "
                + "--s3-region eu-central-1 --s3-credentials-file /etc/islet/s3",
            "islet archive --to /archive/sports --older-than-days 30 --kind-days Match=365",
        ]
    ) { (arguments) async throws(CommandFailure) in
        let root = try ArchiveLocation.layout(try arguments.required("to"), arguments)
        let ages = try ArchiveRetention.parse(arguments)
        let document = try await LongRun.with(arguments, schema: .leaveAlone) {
            database, bar async throws(CommandFailure) in
            let store = database.store
            let tenant = try await ReplaySource.tenant(arguments.text("tenant"), in: store)
            let retention = ages.retention(at: try await Database.asked(try await store.time()))
            return try await ArchivedLog.make(
                store, tenant, retention, root, drops: !arguments.flag("keep"),
                open: { (place) throws(ArchiveError) in
                    try ArchiveLocation.layout(ofNoted: place, arguments)
                }, bar)
        }
        Console.answer(arguments, document, document.text(drops: !arguments.flag("keep")))
    }
}

/// For how many days what has ended is kept, as the options say.
struct ArchiveRetention {
    var kinds: [String: Int] = [:]
    var otherwise: Int?

    static func parse(_ arguments: Arguments) throws(CommandFailure) -> ArchiveRetention {
        var retention = ArchiveRetention(otherwise: arguments.integer("older-than-days"))
        for text in arguments.texts("kind-days") {
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, let days = Int(parts[1]), 1...36_500 ~= days else {
                throw .usage("--kind-days must look like Match=365, not \"\(text)\"")
            }
            guard ActivityCatalog.standard.kind(named: parts[0]) != nil else {
                let names = ActivityCatalog.standard.kinds.map { $0.name }
                throw .usage(
                    "--kind-days: there is no kind \(parts[0])"
                        + Suggestion.question(about: parts[0], among: names))
            }
            guard retention.kinds.updateValue(days, forKey: parts[0]) == nil else {
                throw .usage("--kind-days says twice how long \(parts[0]) is kept; say it once")
            }
        }
        guard retention.otherwise != nil || !retention.kinds.isEmpty else {
            throw .usage("--older-than-days is missing; without it give --kind-days")
        }
        return retention
    }

    /// - Parameter now: what the database's clock says, which has dated what is kept.
    func retention(at now: Moment) -> Retention {
        func before(_ days: Int) -> Moment { now.adding(seconds: -Double(days) * 86_400) }
        return Retention(kinds: kinds.mapValues(before), otherwise: otherwise.map(before))
    }
}

/// What `islet archive` has done.
struct ArchivedLog: Encodable, Sendable {
    var tenant: String
    /// Nil when there was nothing new.
    var place: String?
    var firstPosition: Int64?
    var lastPosition: Int64?
    var chain: String?
    var activitiesDropped: Int64
    var eventsDropped: Int64

    static func make(
        _ store: EventStore, _ tenant: Tenant, _ retention: Retention, _ root: Layout,
        drops: Bool, open: @escaping @Sendable (String) throws(ArchiveError) -> Layout,
        _ bar: ProgressBar
    ) async throws(CommandFailure) -> ArchivedLog {
        do throws(ArchiveError) {
            return try await Archiving.alone(store, tenant) { () async throws(ArchiveError) in
                let report: ProgressReport = {
                    bar.show("archiving", done: $0.done, of: $0.total)
                }
                let archive = try await Archiving.run(
                    store, tenant, through: try await through(store, tenant, retention), in: root,
                    report: report)
                let dropped =
                    drops
                    ? try await Dropping.run(
                        store, tenant, retention, in: root, open: open,
                        wroteAgain: { archive in
                            bar.end()
                            Console.note(Self.writtenAgain(archive))
                        }, report: report)
                    : DroppedActivities()
                return ArchivedLog(
                    tenant: tenant.name, place: archive?.place,
                    firstPosition: archive.map { $0.after + 1 }, lastPosition: archive?.through,
                    chain: archive?.chain, activitiesDropped: dropped.activities,
                    eventsDropped: dropped.events)
            }
        } catch { throw ArchiveRun.failure(error) }
    }

    /// The last position that is old enough. What is not folded yet may begin an activity, or go on
    /// with one.
    private static func through(
        _ store: EventStore, _ tenant: Tenant, _ retention: Retention
    ) async throws(ArchiveError) -> Int64 {
        guard let newest = retention.newest else { return 0 }
        do throws(EventStoreError) {
            return min(
                try await store.retention.position(tenant.id, before: newest),
                try await store.projections.checkpoint(tenant.id))
        } catch { throw .store(error) }
    }

    static func writtenAgain(_ archive: LogArchive) -> String {
        "The archive of positions \(archive.after + 1) to \(archive.through) could not be read. "
            + "All of its events were still in the database: they are in \(archive.place) now."
    }

    func text(drops: Bool) -> String {
        let archived =
            place.map {
                "Archived positions \(firstPosition ?? 0) to \(lastPosition ?? 0) of \(tenant) in "
                    + "\($0).\nChain \(chain ?? "")"
            } ?? "Nothing new of \(tenant) is old enough to be archived."
        guard drops else { return archived }
        guard activitiesDropped > 0 else {
            return "\(archived)\nDropped no activity: none of that age has ended, had its card "
                + "dismissed, and has nothing left to be sent."
        }
        return "\(archived)\nDropped \(activitiesDropped.counted("activity", "activities")) with "
            + eventsDropped.counted("event") + "."
    }
}
