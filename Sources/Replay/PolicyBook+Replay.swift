import Domain
import Projections

extension PolicyBook {
    /// - Parameter stored: everything that a tenant has put.
    init(replaying stored: [StoredPolicy]) throws(ReplayError) {
        do { self = try ActivityCatalog.standard.book(stored) } catch {
            throw .policiesOfNewerVersion
        }
    }
}
