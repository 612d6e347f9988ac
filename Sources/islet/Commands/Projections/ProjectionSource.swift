import DatabaseAccess
import Domain
import EventStore
import Replay
import Terminal

/// The database that a command looks after, and the tenant in it.
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

    /// - Parameter activity: one that the tenant must have.
    static func with<Result: Sendable>(
        _ arguments: Arguments, knowing activity: ActivityID? = nil,
        _ schema: Database.Schema = .leaveAlone,
        _ body: @Sendable (EventStore, Tenant) async throws(EventStoreError) -> Result
    ) async throws(CommandFailure) -> Result {
        try await Database.whileOpen(arguments, schema) {
            database async throws(CommandFailure) -> Result in
            let store = database.store
            let tenant = try await ReplaySource.tenant(arguments.text("tenant"), in: store)
            if let activity {
                try await ReplaySource.asked(
                    try await History(store, of: tenant).require(activity))
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
}
