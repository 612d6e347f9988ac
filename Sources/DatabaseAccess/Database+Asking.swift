import Domain
public import EventStore
public import Terminal

extension Database {
    /// What a store answers; what goes wrong is said as commands say it.
    /// - Parameter patience: how long it is asked again when the connection breaks or Postgres is
    ///   away; see `startPatience`.
    public static func asked<Answer>(
        patience: Duration = .zero,
        _ ask: @autoclosure () async throws(EventStoreError) -> Answer
    ) async throws(CommandFailure) -> Answer {
        let end = ContinuousClock.now + patience
        while true {
            do throws(EventStoreError) { return try await ask() } catch {
                guard error.isTransient, ContinuousClock.now < end, !Task.isCancelled else {
                    throw .failed(explanation(of: error))
                }
            }
            try? await Task.sleep(for: startPause)
        }
    }

    public static func with<Result: Sendable>(
        _ arguments: Arguments, _ schema: Schema = .bringUpToDate,
        _ body: @Sendable (EventStore) async throws(EventStoreError) -> Result
    ) async throws(CommandFailure) -> Result {
        try await whileOpen(arguments, schema) { database async throws(CommandFailure) in
            try await asked(try await body(database.store))
        }
    }

    /// The database that the options mean, which is closed when `body` is done, however it ends.
    public static func whileOpen<Value: Sendable>(
        _ arguments: Arguments, _ schema: Schema = .bringUpToDate,
        _ body: @Sendable (Database) async throws(CommandFailure) -> Value
    ) async throws(CommandFailure) -> Value {
        let database = try await open(arguments, schema: schema, log: Log(lowest: .warning))
        let result = await Result { () async throws(CommandFailure) in try await body(database) }
        await database.close()
        return try result.get()
    }

    /// Of one tenant.
    /// - Throws: when there is none of that name, with those that are nearly so called, or with the
    ///   cell that it has moved to.
    public static func with<Result: Sendable>(
        _ arguments: Arguments, tenant name: String, _ schema: Schema = .bringUpToDate,
        _ body: @Sendable (EventStore, Tenant) async throws(EventStoreError) -> Result
    ) async throws(CommandFailure) -> Result {
        try await whileOpen(arguments, schema) {
            database async throws(CommandFailure) -> Result in
            let tenant = try await TenantName.tenant(called: name, in: database.store)
            return try await asked(try await body(database.store, tenant))
        }
    }

    /// Of all tenants, or of the one that is named. Can change nothing.
    public static func with<Result: Sendable>(
        _ arguments: Arguments, tenants name: String?,
        _ body: @Sendable (EventStore, [Tenant]) async throws(EventStoreError) -> Result
    ) async throws(CommandFailure) -> Result {
        if let name {
            return try await with(arguments, tenant: name, .readOnly) {
                store, tenant async throws(EventStoreError) in
                try await body(store, [tenant])
            }
        }
        return try await with(arguments, .readOnly) { store async throws(EventStoreError) in
            try await body(store, try await store.tenants.all())
        }
    }
}
