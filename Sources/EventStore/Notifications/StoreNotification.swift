public import Domain

/// What happened in the store, on this node or another.
public enum StoreNotification: Hashable, Sendable {
    /// Events were appended to the tenant's log.
    case appended(TenantID)
    /// The tenant's snapshots and decisions moved on.
    case folded(TenantID)
    /// This node has decided something that is to be sent at once: see
    /// `DeliveryStore.claimNext`. Other nodes hear of `folded`.
    case decided(TenantID)
    /// A phone registered, or one is owed a push.
    case phonesWaiting(TenantID)
    /// What the tenant's keys grant changed, or its limits.
    case keysChanged(TenantID)
    /// The tenant's apps, or their keys, changed.
    case appsChanged(TenantID)
    /// The listening connection is gone: nothing is heard until `resumed`.
    case lost
    /// Listening begins, or begins again: anything may have been missed.
    case resumed

    /// Whom it is about; nil for what concerns everybody.
    public var tenant: TenantID? {
        switch self {
        case .appended(let tenant), .folded(let tenant),
            .decided(let tenant), .phonesWaiting(let tenant), .keysChanged(let tenant),
            .appsChanged(let tenant):
            tenant
        case .lost, .resumed: nil
        }
    }

    /// What a listener can ask to hear of.
    public enum Topic: CaseIterable, Sendable {
        case appended, folded, decided, phonesWaiting, keysChanged, appsChanged
        /// `folded` by others than this node.
        case foldedElsewhere
    }

    /// Nil for what every listener hears.
    public var topic: Topic? {
        switch self {
        case .appended: .appended
        case .folded: .folded
        case .decided: .decided
        case .phonesWaiting: .phonesWaiting
        case .keysChanged: .keysChanged
        case .appsChanged: .appsChanged
        case .lost, .resumed: nil
        }
    }
}
