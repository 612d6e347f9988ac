import Archive
import DatabaseAccess
import Domain
import EventStore
import Projections
import Terminal

extension Command {
    static let tenantsRemove = Command(
        path: ["tenants", "remove"],
        summary: "Remove a tenant with its keys, log, cards and all else, for good.",
        discussion: """
            Its keys go first, so that nothing more is reported. The log is archived wholly below
            --to before anything of it is dropped. Interrupted: the same command again goes on.
            Apps' channels at APNs stay until islet channels sweep finds them.
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
        let directory = try arguments.required("to")
        let root = try ArchiveLocation.layout(directory, arguments)
        guard arguments.flag("yes") else {
            throw .usage(
                "this removes \(name) for good and cannot be undone; give --yes to do it")
        }
        try await LongRun.with(arguments, schema: .leaveAlone) {
            database, bar async throws(CommandFailure) in
            let store = database.store
            let tenant = try await ReplaySource.tenant(name, in: store)
            do throws(ArchiveError) {
                try await remove(tenant, store, root, bar)
            } catch { throw ArchiveRun.failure(error) }
        }
        Console.done(
            arguments, RemovedTenant(tenant: name, archive: directory),
            "Tenant \(name) is removed. Its log is in \(directory).")
    }

    private static func remove(
        _ tenant: Tenant, _ store: EventStore, _ root: Layout, _ bar: ProgressBar
    ) async throws(ArchiveError) {
        do throws(EventStoreError) {
            for key in try await store.tenants.keys(tenant.id) where key.revokedAt == nil {
                _ = try await store.tenants.revokeKey(key.id)
            }
            // What was on its way when the keys went is recorded, and folded, by then.
            try? await Task.sleep(for: .seconds(2))
        } catch { throw .store(error) }
        let head: Int64
        do throws(EventStoreError) { head = try await store.log.head(tenant.id) } catch {
            throw .store(error)
        }
        _ = try await Archiving.run(
            store, tenant, ActivityCatalog.standard.eventTypes, through: head, in: root
        ) {
            bar.show("archiving", done: Int64($0.done), of: Int64($0.total))
        }
        do throws(EventStoreError) {
            while try await store.retention.remove(tenant.id) > 0 {
                if Task.isCancelled { return }
            }
        } catch { throw .store(error) }
    }
}

private struct RemovedTenant: Encodable {
    var tenant: String
    /// Directory with its log.
    var archive: String
}
