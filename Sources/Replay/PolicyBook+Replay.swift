import Domain
import Projections

extension PolicyBook {
    init(replaying stored: [StoredPolicy]) throws(ReplayError) {
        do { self = try ActivityCatalog.book(stored) } catch { throw .policiesOfNewerVersion }
    }
}
