import Domain
import Projections

extension PolicyBook {
    init(replaying stored: [StoredPolicy]) throws(ReplayError) {
        do { self = try ActivityCatalog.standard.book(stored) } catch {
            throw .policiesOfNewerVersion
        }
    }

    /// Of everything that a tenant has put.
    static func replaying(_ history: History) async throws(ReplayError) -> PolicyBook {
        try PolicyBook(replaying: try await history.policies())
    }
}
