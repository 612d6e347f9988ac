import Domain
import EventStore

/// What a sender goes by when it looks for something to do and while it carries out a claim.
struct SenderClock: Sendable {
    let virtual: (@Sendable () -> Moment)?

    func now(_ deliveries: any DeliveryStore) async throws(EventStoreError) -> Moment {
        if let virtual { return virtual() }
        return try await deliveries.time()
    }

    /// In virtual time only the store's answers take time.
    func pause(seconds: Int) async {
        if virtual == nil { try? await Task.sleep(for: .seconds(seconds)) }
    }

    /// The time while something is being carried out: what the clock said when that began, and what
    /// has gone by since on this node.
    func since(_ moment: Moment) -> @Sendable () -> Moment {
        if let virtual { return virtual }
        let began = ContinuousClock.now
        return { moment.adding(seconds: (ContinuousClock.now - began) / .seconds(1)) }
    }
}
