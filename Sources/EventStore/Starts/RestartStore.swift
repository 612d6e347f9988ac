public import Domain

/// What the sender asks of fresh cards that take the place of old ones, beside what it asks of all
/// starts; under a claim as well. The restart version is the version of the decision that wants
/// them.
public protocol RestartStore: Sendable {
    /// What waits for an earlier restart version is forgotten.
    func overtake(_ claim: DeliveryClaim, _ restartVersion: Int64) async throws(EventStoreError)
    /// A page of the phones with an open card and a living start token for it, by registration.
    func page(_ claim: DeliveryClaim, _ restartVersion: Int64, _ after: Int64, _ limit: Int)
        async throws(EventStoreError) -> [StartCandidate]
    /// A page of those that wait and whose time has come, by device.
    func due(
        _ claim: DeliveryClaim, _ restartVersion: Int64, _ now: Moment, _ after: Int64, _ limit: Int
    )
        async throws(EventStoreError) -> [StartCandidate]
    /// A page of the old cards that are still to be ended, by registration: their fresh ones were
    /// started, and they are closed and have not died.
    func replaced(_ claim: DeliveryClaim, _ after: Int64, _ limit: Int)
        async throws(EventStoreError) -> [Registration]
    /// What came of ends that were sent. An old card whose end is to be tried again is due then,
    /// and the others need none any more. Nothing is due for those that have died meanwhile.
    func ended(_ claim: DeliveryClaim, _ results: [PhoneResult]) async throws(EventStoreError)
}
