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
        [OptionSpec("tenant", .text(placeholder: "NAME"), "Whose snapshots.")] + Database.options

    private typealias Step =
        @Sendable (EventStore, Tenant) async throws(EventStoreError) -> Bool

    /// - Parameter begin: false when the tenant has no rebuild.
    private static func run(
        _ arguments: Arguments, _ begin: @escaping Step
    ) async throws(CommandFailure) {
        let name = try arguments.required("tenant")
        let words = try await LongRun.with(arguments, schema: .bringUpToDate) {
            database, bar async throws(CommandFailure) in
            do throws(EventStoreError) {
                guard let tenant = try await database.store.tenants.find(name) else {
                    return String?.none
                }
                guard try await begin(database.store, tenant) else { return noRebuild(of: name) }
                return try await RebuildRun(store: database.store, tenant: tenant, bar: bar)
                    .finish()
            } catch { throw .failed(Database.explanation(of: error)) }
        }
        guard let words else { throw TenantName.unknown(name) }
        Console.print(words)
    }

    private static func change(
        _ arguments: Arguments, _ participle: String, _ step: @escaping Step
    ) async throws(CommandFailure) {
        let name = try arguments.required("tenant")
        let isDone = try await Database.with(arguments) {
            store async throws(EventStoreError) -> Bool? in
            guard let tenant = try await store.tenants.find(name) else { return nil }
            return try await step(store, tenant)
        }
        guard let isDone else { throw TenantName.unknown(name) }
        Console.print(isDone ? "The rebuild of \(name) is \(participle)." : noRebuild(of: name))
    }

    private static func noRebuild(of name: String) -> String {
        "There is no rebuild of \(name); begin one with islet projections rebuild --tenant \(name)"
    }
}
