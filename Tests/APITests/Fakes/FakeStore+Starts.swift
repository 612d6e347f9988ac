import Domain
import EventStore

/// Nobody has put anything, and what is put is forgotten.
struct FakeStartTokenStore: StartTokenStore {
    func putToken(_: TenantID, _: StartWish) async throws(EventStoreError) -> StartPut { .new }

    func removeToken(_: TenantID, _: String, _: String) async throws(EventStoreError) -> Int { 0 }

    func tokens(_: TenantID, _: String, _: String) async throws(EventStoreError) -> [StartToken] {
        []
    }

    func putAudience(_: TenantID, _: ActivityID, _: [AudienceTopic], _: Moment?)
        async throws(EventStoreError) -> StartPut
    { .new }

    func audience(_: TenantID, _: ActivityID) async throws(EventStoreError) -> AudienceReport? {
        nil
    }
}

struct FakeStartDeliveryStore: StartDeliveryStore {
    func abandon(_: DeliveryClaim) async throws(EventStoreError) {}

    func due(_: DeliveryClaim, _: Moment, _: Int64, _: Int) async throws(EventStoreError)
        -> [StartCandidate]
    { [] }

    func held(_: DeliveryClaim, for _: [String], beyond _: Moment?, _: Int64, _: Int)
        async throws(EventStoreError) -> [StartCandidate]
    { [] }

    func page(_: DeliveryClaim, _: Int64, _: Int) async throws(EventStoreError) -> [StartCandidate]
    { [] }

    func begin(_: DeliveryClaim, _: [StartIntent]) async throws(EventStoreError) -> Set<Int64> {
        []
    }

    func record(_: DeliveryClaim, _: [StartResult], _: Int64?) async throws(EventStoreError) {}

    func finish(_: DeliveryClaim) async throws(EventStoreError) {}

    func close(_: DeliveryClaim) async throws(EventStoreError) {}

    var restarts: any RestartStore { FakeRestartStore() }
}

struct FakeRestartStore: RestartStore {
    func overtake(_: DeliveryClaim, _: Int64) async throws(EventStoreError) {}

    func page(_: DeliveryClaim, _: Int64, _: Int64, _: Int) async throws(EventStoreError)
        -> [StartCandidate]
    { [] }

    func due(_: DeliveryClaim, _: Int64, _: Moment, _: Int64, _: Int) async throws(EventStoreError)
        -> [StartCandidate]
    { [] }

    func replaced(_: DeliveryClaim, _: Int64, _: Int) async throws(EventStoreError)
        -> [Registration]
    { [] }

    func ended(_: DeliveryClaim, _: [PhoneResult]) async throws(EventStoreError) {}
}
