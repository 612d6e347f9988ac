import Domain
import EventStore

extension Command {
    static let projectionsRebuild = Command(
        path: ["projections", "rebuild"],
        summary: "Fold a tenant's log anew, beside the snapshots that are live.",
        discussion: """
            Reads and live folding go on; the new snapshots take the place of the old ones at one
            stroke, and nothing is pushed. Ctrl-C pauses. Servers begin one by themselves when a
            new version of Islet folds a kind otherwise than the one that wrote the snapshots.
            """,
        options: options,
        examples: ["islet projections rebuild --tenant pizzeria"]
    ) { (arguments) async throws(CommandFailure) in
        try await run(arguments) { (store, tenant) async throws(EventStoreError) in
            _ = try await store.rebuilds.begin(tenant.id, "asked for")
            return true
        }
    }

    static let projectionsResume = Command(
        path: ["projections", "resume"],
        summary: "Go on with a rebuild that was paused.",
        options: options,
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
            OptionSpec(
                "tenant", .text(placeholder: "NAME"),
                "Whose snapshots; may be left out when there is only one tenant.")
        ] + Database.options

    private typealias Step =
        @Sendable (EventStore, Tenant) async throws(EventStoreError) -> Bool

    /// - Parameter begin: false when the tenant has no rebuild.
    private static func run(
        _ arguments: Arguments, _ begin: @escaping Step
    ) async throws(CommandFailure) {
        let words = try await LongRun.with(arguments, schema: .bringUpToDate) {
            database, bar async throws(CommandFailure) in
            let store = database.store
            let tenant = try await ReplaySource.tenant(arguments.text("tenant"), in: store)
            do throws(EventStoreError) {
                guard try await begin(store, tenant) else { return noRebuild(of: tenant) }
                return try await RebuildRun(store: store, tenant: tenant, bar: bar).finish()
            } catch { throw .failed(Database.explanation(of: error)) }
        }
        Console.print(words)
    }

    private static func change(
        _ arguments: Arguments, _ participle: String, _ step: @escaping Step
    ) async throws(CommandFailure) {
        let words = try await ProjectionSource.with(arguments) {
            store, tenant async throws(EventStoreError) in
            try await step(store, tenant)
                ? "The rebuild of \(tenant.name) is \(participle)." : noRebuild(of: tenant)
        }
        Console.print(words)
    }

    private static func noRebuild(of tenant: Tenant) -> String {
        "There is no rebuild of \(tenant.name); begin one with islet projections rebuild --tenant "
            + tenant.name
    }
}
