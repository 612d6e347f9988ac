public import Domain

/// What happened in the store, on this node or another.
public enum StoreNotification: Hashable, Sendable {
    /// What may happen to a tenant, and a subscriber can ask to hear of. Nodes tell each other the
    /// raw values, so they are a format.
    public enum Subject: String, CaseIterable, Sendable {
        /// Events were appended to its log.
        case appended
        /// Its snapshots and decisions moved on.
        case folded
        /// This node has decided something that is to be sent at once: see
        /// `DeliveryStore.claimNext`. Other nodes hear of `folded`.
        case decided
        /// Another node has completed fan-outs: what was decided meanwhile can be claimed. The node
        /// itself does not hear of it.
        case completed
        /// A phone registered, or one is owed a push.
        case phonesWaiting = "phones"
        /// What its keys grant changed, or its limits.
        case keysChanged = "keys"
        /// Its apps, or their keys, changed.
        case appsChanged = "apps"
        /// To ask for `folded` by others than this node.
        case foldedElsewhere
    }

    case happened(Subject, TenantID)
    /// The listening connection is gone: nothing is heard until `resumed`.
    case lost
    /// Listening begins, or begins again: anything may have been missed.
    case resumed
}
