import Archive
import DatabaseAccess
import Domain
import EventStore
import Terminal

extension Command {
    static let tenantsRemove = Command(
        path: ["tenants", "remove"],
        summary: "Remove a tenant with its keys, log, cards and all else, for good.",
        discussion: """
            All of its log that is in the database is archived below --to before anything is
            removed, also what was archived elsewhere. What islet archive has dropped must still be
            readable where it was archived, or have been brought below --to; otherwise nothing is
            removed. Then its keys go, so that nobody reports any more, and then the rest.
            Interrupted: the same command again goes on. Apps' channels at APNs stay until islet
            channels sweep finds them.
            """,
        operands: [Operand(name: "NAME", help: "the tenant")],
        options: [
            OptionSpec(
                "to", .text(placeholder: "DIR|s3://…"),
                "Directory of the tenant's archives, or a place in a bucket."),
            OptionSpec("yes", .flag, "Do it; without it nothing is changed."),
            OptionSpec.json,
        ] + ArchiveLocation.options + Database.options,
        exitCodes: LongRun.exitCodes,
        examples: ["islet tenants remove pizzeria --to /archive/pizzeria --yes"]
    ) { (arguments) async throws(CommandFailure) in
        let name = arguments.operand("NAME")
        let root = try ArchiveLocation.layout(try arguments.required("to"), arguments)
        guard arguments.flag("yes") else {
            throw .usage(
                "this removes \(name) for good and cannot be undone; give --yes to do it")
        }
        let document = try await LongRun.with(arguments, schema: .leaveAlone) {
            database, bar async throws(CommandFailure) in
            let store = database.store
            let tenant = try await ReplaySource.tenant(name, in: store)
            let moves = try await Database.asked(try await store.tenants.moves())
            // The other cell would keep what has arrived there, or what goes is the only copy.
            if let move = moves.first(where: { $0.id == tenant.id }) {
                throw .failed(
                    "tenant \"\(name)\" is moving (\(MovingTenantText.words(move))): end that "
                        + "first, with islet tenants move, and with --cancel if it is to stay")
            }
            do throws(ArchiveError) {
                return try await Archiving.alone(store, tenant) {
                    () async throws(ArchiveError) in
                    let places = try await Archiving.runWholly(
                        store, tenant, in: root,
                        open: { (place) throws(ArchiveError) in
                            try ArchiveLocation.layout(ofNoted: place, arguments)
                        },
                        closing: { () async throws(ArchiveError) in
                            try await revokeKeys(of: tenant, store)
                        },
                        removing: { () async throws(ArchiveError) in
                            try await remove(tenant, store)
                        },
                        report: { bar.show("archiving", done: $0.done, of: $0.total) })
                    return RemovedTenant(tenant: name, places: places)
                }
            } catch { throw ArchiveRun.failure(error) }
        }
        Console.done(arguments, document, document.text)
    }

    private static func revokeKeys(
        of tenant: Tenant, _ store: EventStore
    ) async throws(ArchiveError) {
        do throws(EventStoreError) {
            for key in try await store.tenants.keys(tenant.id) where key.revokedAt == nil {
                _ = try await store.tenants.revokeKey(key.id)
            }
        } catch { throw .store(error) }
        // What was on its way when the keys went is recorded, and folded, by then.
        try? await Task.sleep(for: .seconds(2))
    }

    private static func remove(
        _ tenant: Tenant, _ store: EventStore
    ) async throws(ArchiveError) {
        var rows: Int64 = 1
        while rows > 0 {
            if Task.isCancelled { throw .interrupted }
            do throws(EventStoreError) {
                rows = try await store.retention.remove(tenant.id)
            } catch { throw .store(error) }
        }
    }
}

/// What `islet tenants remove` has done.
struct RemovedTenant: Encodable, Sendable {
    var tenant: String
    /// Directory with the end of its log; nil when it had no events.
    var archive: String?
    /// All files of its log, in order of positions.
    var places: [String]

    /// - Parameter places: where its archives are, each in a directory of its own.
    init(tenant: String, places: [String]) {
        self.tenant = tenant
        self.places = places
        archive = directories.last
    }

    private var directories: [String] {
        places.reduce(into: []) { directories, place in
            let directory = place.lastIndex(of: "/").map { String(place[..<$0]) } ?? place
            if !directories.contains(directory) { directories.append(directory) }
        }
    }

    var text: String {
        let directories = directories
        guard !directories.isEmpty else { return "Tenant \(tenant) is removed. It had no events." }
        return "Tenant \(tenant) is removed. Its log is in "
            + "\(directories.joined(separator: " and "))."
    }
}
