public import Domain

/// What the sender asks of fresh cards that take the place of old ones, beside what it asks of all
/// starts; under a claim as well. The lap is the version of the decision that wants them.
public struct RestartStore: Sendable {
    /// What waits for an earlier lap is forgotten.
    public var overtake:
        @Sendable (_ claim: DeliveryClaim, _ lap: Int64) async throws(EventStoreError) -> Void
    /// A page of the phones with an open card and a living start token for it, by registration.
    public var page:
        @Sendable (_ claim: DeliveryClaim, _ lap: Int64, _ after: Int64, _ limit: Int)
            async throws(EventStoreError) -> [StartCandidate]
    /// A page of those that wait and whose time has come, by device.
    public var due:
        @Sendable (
            _ claim: DeliveryClaim, _ lap: Int64, _ now: Moment, _ after: Int64, _ limit: Int
        ) async throws(EventStoreError) -> [StartCandidate]
    /// A page of the old cards that are still to be ended, by registration: their fresh ones were
    /// started, and they are closed and have not died.
    public var replaced:
        @Sendable (_ claim: DeliveryClaim, _ after: Int64, _ limit: Int)
            async throws(EventStoreError) -> [Registration]
    /// What came of ends that were sent. An old card whose end is to be tried again is due then,
    /// and the others need none any more. Nothing is due for those that have died meanwhile.
    public var ended:
        @Sendable (_ claim: DeliveryClaim, _ results: [PhoneResult])
            async throws(EventStoreError) -> Void

    public init(
        overtake:
            @escaping @Sendable (_ claim: DeliveryClaim, _ lap: Int64)
            async throws(EventStoreError) -> Void,
        page:
            @escaping @Sendable (
                _ claim: DeliveryClaim, _ lap: Int64, _ after: Int64, _ limit: Int
            ) async throws(EventStoreError) -> [StartCandidate],
        due:
            @escaping @Sendable (
                _ claim: DeliveryClaim, _ lap: Int64, _ now: Moment, _ after: Int64, _ limit: Int
            ) async throws(EventStoreError) -> [StartCandidate],
        replaced:
            @escaping @Sendable (_ claim: DeliveryClaim, _ after: Int64, _ limit: Int)
            async throws(EventStoreError) -> [Registration],
        ended:
            @escaping @Sendable (_ claim: DeliveryClaim, _ results: [PhoneResult])
            async throws(EventStoreError) -> Void
    ) {
        self.overtake = overtake
        self.page = page
        self.due = due
        self.replaced = replaced
        self.ended = ended
    }
}
