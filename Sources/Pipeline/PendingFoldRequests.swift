import Domain
import EventStore

/// The tenants that a projector is to look at since it last asked. Notifications that come while it
/// folds are one request, however many they are.
actor PendingFoldRequests {
    /// How often it has to look.
    enum PendingRequest {
        /// Once for each of these tenants: one batch.
        case tenants(Set<TenantID>)
        /// Until nothing is found.
        case everything
    }

    private var tenants: Set<TenantID> = []
    private var isEverything = false
    private let wake: AsyncStream<Void>.Continuation

    init(wake: AsyncStream<Void>.Continuation) { self.wake = wake }

    func note(_ notification: StoreNotification) {
        switch notification {
        case .happened(.appended, let tenant): tenants.insert(tenant)
        case .happened, .lost: return
        case .resumed: isEverything = true
        }
        wake.yield()
    }

    /// Notes tenants that have waited for a while, or had more than one batch.
    func note(_ unfolded: [TenantID]) {
        guard !unfolded.isEmpty else { return }
        tenants.formUnion(unfolded)
        wake.yield()
    }

    /// Nil when there is nothing new.
    func take() -> PendingRequest? {
        defer { (tenants, isEverything) = ([], false) }
        if isEverything { return .everything }
        return tenants.isEmpty ? nil : .tenants(tenants)
    }
}
