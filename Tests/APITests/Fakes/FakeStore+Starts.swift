import Domain
import EventStore

/// Nobody has put anything, and what is put is forgotten.
struct FakeStartTokenStore: StartTokenStore {
    func putToken(_: TenantID, _: StartWish) -> StartPut { .new }

    func removeToken(_: TenantID, _: String, _: String) -> Int { 0 }

    func tokens(_: TenantID, _: String, _: String) -> [StartToken] { [] }

    func putAudience(_: TenantID, _: ActivityID, _: [AudienceTopic], _: Moment?) -> StartPut {
        .new
    }

    func audience(_: TenantID, _: ActivityID) -> AudienceReport? { nil }
}

struct FakeStartDeliveryStore: StartDeliveryStore {
    func markLeftoverStartsUnknown(_: DeliveryClaim) {}

    func due(_: DeliveryClaim, _: Moment, _: Int64, _: Int) -> [StartCandidate] { [] }

    func held(
        _: DeliveryClaim, for _: [String], untilLaterThan _: Moment?, _: Int64, _: Int
    ) -> [StartCandidate] { [] }

    func page(_: DeliveryClaim, _: Int64, _: Int) -> [StartCandidate] { [] }

    func begin(_: DeliveryClaim, _: [StartIntent]) -> Set<Int64> { [] }

    func record(_: DeliveryClaim, _: [StartResult], _: Int64?) {}

    func recordAfterLosingClaim(_: DeliveryClaim, _: [StartResult]) {}

    func finish(_: DeliveryClaim) {}

    func close(_: DeliveryClaim) {}

    func overtake(_: DeliveryClaim, _: Int64) {}

    func page(_: DeliveryClaim, _: Int64, _: Int64, _: Int) -> [StartCandidate] { [] }

    func due(_: DeliveryClaim, _: Int64, _: Moment, _: Int64, _: Int) -> [StartCandidate] { [] }

    func replaced(_: DeliveryClaim, _: Int64, _: Int) -> [Registration] { [] }

    func recordEnds(_: DeliveryClaim, _: [PhoneResult]) {}
}
