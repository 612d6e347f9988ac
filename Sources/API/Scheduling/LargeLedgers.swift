import Domain
import EventStore
import Locks

/// Tenants in whose ledger large rows were seen, such as alerts in fifty languages: each takes as
/// long to read and to write as a usual page.
final class LargeLedgers: Sendable {
    /// For what is read of them.
    let turns = TenantTurns(waitingMax: Limits.largeAnswersWaitingMax)
    private let tenants = Lock(Set<TenantID>())

    func has(_ tenant: TenantID) -> Bool { tenants.withLock { $0.contains(tenant) } }

    func note(_ rows: some Sequence<LedgerRow>, of tenant: TenantID) {
        guard rows.contains(where: { $0.textBytes > Limits.usualLedgerRowBytesMax }) else {
            return
        }
        tenants.withLock { tenants in
            if tenants.count >= Limits.largeLedgersMax { tenants = [] }
            tenants.insert(tenant)
        }
    }
}
