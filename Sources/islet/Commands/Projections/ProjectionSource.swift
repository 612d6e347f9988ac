import DatabaseAccess
import Domain
import EventStore
import Replay
import Terminal

/// The database whose projections a command looks after, and the tenant in it.
enum ProjectionSource {
    static let tenantOptions =
        [
            OptionSpec.tenant("Whose; may be left out when there is only one tenant."),
            OptionSpec.json,
        ] + Database.options

    static let options =
        [
            OptionSpec("activity", .text(placeholder: "ID"), "Only this activity's.")
        ] + tenantOptions

    static func ask<Result: Sendable>(
        _ arguments: Arguments,
        _ body: @Sendable (EventStore) async throws(EventStoreError) -> Result
    ) async throws(CommandFailure) -> Result {
        try await open(arguments, .readOnly) { store async throws(CommandFailure) in
            do throws(EventStoreError) { return try await body(store) } catch {
                throw .failed(explanation(of: error))
            }
        }
    }

    /// - Parameter activity: one that the tenant must have.
    static func with<Result: Sendable>(
        _ arguments: Arguments, knowing activity: ActivityID? = nil,
        _ body: @Sendable (EventStore, Tenant) async throws(EventStoreError) -> Result
    ) async throws(CommandFailure) -> Result {
        try await open(arguments) { store async throws(CommandFailure) in
            let tenant = try await ReplaySource.tenant(arguments.text("tenant"), in: store)
            if let activity {
                do throws(ReplayError) {
                    try await History(store, of: tenant).require(activity)
                } catch { throw ReplaySource.failure(error) }
            }
            do throws(EventStoreError) { return try await body(store, tenant) } catch {
                throw .failed(explanation(of: error))
            }
        }
    }

    private static func explanation(of error: EventStoreError) -> String {
        // The database's word for a lock that was not to be had in time.
        if case .unavailable(let detail) = error, detail.hasPrefix("55P03") {
            return "somebody has been folding this tenant all the while; try again, and if nothing "
                + "moves in `islet projections list`, look for a wedged session"
        }
        return Database.explanation(of: error)
    }

    private static func open<Result: Sendable>(
        _ arguments: Arguments, _ schema: Database.Schema = .leaveAlone,
        _ body: @Sendable (EventStore) async throws(CommandFailure) -> Result
    ) async throws(CommandFailure) -> Result {
        let database = try await Database.open(
            arguments, schema: schema, log: Log(lowest: .warning))
        let result: Swift.Result<Result, CommandFailure>
        do throws(CommandFailure) { result = .success(try await body(database.store)) } catch {
            result = .failure(error)
        }
        await database.close()
        return try result.get()
    }
}
