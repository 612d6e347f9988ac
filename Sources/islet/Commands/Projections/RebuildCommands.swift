import DatabaseAccess
import Domain
import EventStore
import Projections
import Terminal

extension Command {
    static let projectionsRebuild = Command(
        path: ["projections", "rebuild"],
        summary: "Fold a tenant's log again, beside the snapshots that are live.",
        discussion: """
            Reads and live folding go on; the new snapshots take the place of the old ones at one
            stroke, and nothing is pushed. Ctrl-C pauses, and the same command goes on. Servers
            begin one by themselves when a new version of Islet folds a kind otherwise than the
            one that wrote the snapshots.
            """,
        options: options,
        exitCodes: ["130 paused with Ctrl-C"],
        examples: ["islet projections rebuild --tenant pizzeria"]
    ) { (arguments) async throws(CommandFailure) in
        try await run(arguments) { (store, tenant) async throws(EventStoreError) in
            let versions = ActivityCatalog.standard.foldVersions
            let stands = try await store.rebuilds.begin(tenant.id, "asked for", versions)
            if stands.isPaused, stands.newerKinds(than: versions).isEmpty {
                _ = try await store.rebuilds.setPaused(tenant.id, false)
            }
            return true
        }
    }

    static let projectionsResume = Command(
        path: ["projections", "resume"],
        summary: "Go on with a rebuild that was paused.",
        options: options,
        exitCodes: ["130 paused with Ctrl-C"],
        examples: ["islet projections resume --tenant pizzeria"]
    ) { (arguments) async throws(CommandFailure) in
        try await run(arguments) { (store, tenant) async throws(EventStoreError) in
            try await store.rebuilds.setPaused(tenant.id, false)
        }
    }

    static let projectionsPause = Command(
        path: ["projections", "pause"],
        summary: "Pause a rebuild; what it has done is kept.",
        options: options,
        examples: ["islet projections pause --tenant pizzeria"]
    ) { (arguments) async throws(CommandFailure) in
        try await change(arguments, "paused") { (store, tenant) async throws(EventStoreError) in
            try await store.rebuilds.setPaused(tenant.id, true)
        }
    }

    static let projectionsCancel = Command(
        path: ["projections", "cancel"],
        summary: "Give a rebuild up and drop what it has done; the live snapshots stay.",
        options: options,
        examples: ["islet projections cancel --tenant pizzeria"]
    ) { (arguments) async throws(CommandFailure) in
        try await change(arguments, "cancelled") { (store, tenant) async throws(EventStoreError) in
            try await store.rebuilds.cancel(tenant.id)
        }
    }

    private static let options =
        [
            OptionSpec.tenant("Whose snapshots; may be left out when there is only one tenant."),
            OptionSpec.json,
        ] + Database.options

    private typealias Step =
        @Sendable (EventStore, Tenant) async throws(EventStoreError) -> Bool

    /// - Parameter begin: false when the tenant has no rebuild.
    private static func run(
        _ arguments: Arguments, _ begin: @escaping Step
    ) async throws(CommandFailure) {
        let tenant = try await LongRun.with(arguments, schema: .bringUpToDate) {
            database, bar async throws(CommandFailure) in
            let store = database.store
            let tenant = try await ReplaySource.tenant(arguments.text("tenant"), in: store)
            guard try await Database.asked(try await begin(store, tenant)) else {
                throw noRebuild(of: tenant)
            }
            let run = RebuildRun(store: store, tenant: tenant, bar: bar)
            switch try await Database.asked(try await run.finish()) {
            case .rebuilt: return tenant
            case .isNewer(let progress, let kinds): throw .failed(newer(progress, kinds))
            case .cancelled: throw .failed("the rebuild of \(tenant.name) was cancelled")
            case .paused(let progress): throw .failed(paused(progress))
            case .interrupted(let progress): throw .interrupted(paused(progress))
            }
        }
        Console.answer(
            arguments, ["tenant": tenant.name, "rebuild": "done"],
            "The snapshots of \(tenant.name) are rebuilt.")
    }

    private static func paused(_ progress: RebuildProgress) -> String {
        "paused at position \(progress.position) of \(progress.target); go on with islet "
            + "projections resume --tenant \(progress.tenant.name)"
    }

    private static func newer(_ progress: RebuildProgress, _ kinds: [String]) -> String {
        "the rebuild of \(progress.tenant.name) is a newer program's, which folds "
            + "\(kinds.joined(separator: ", ")) otherwise than this one: use that program, or "
            + "bring this one up to date"
    }

    private static func change(
        _ arguments: Arguments, _ participle: String, _ step: @escaping Step
    ) async throws(CommandFailure) {
        let (tenant, isDone) = try await ProjectionSource.with(arguments) {
            store, tenant async throws(EventStoreError) in
            (tenant, try await step(store, tenant))
        }
        guard isDone else { throw noRebuild(of: tenant) }
        Console.answer(
            arguments, ["tenant": tenant.name, "rebuild": participle],
            "The rebuild of \(tenant.name) is \(participle).")
    }

    private static func noRebuild(of tenant: Tenant) -> CommandFailure {
        .failed(
            "there is no rebuild of \(tenant.name); begin one with islet projections rebuild "
                + "--tenant \(tenant.name)")
    }
}
