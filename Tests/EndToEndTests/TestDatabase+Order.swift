import Domain
import EventStore
import Foundation
import TestSupport

extension TestDatabase {
    /// Records that `order-1` was accepted.
    func recordOrder(of tenant: TenantID) async throws {
        let event = NewEvent(
            id: "1", source: "/shop", type: "PizzaDelivery.OrderAccepted",
            activityID: ActivityID(rawValue: "order-1"), occurredAt: .timeOfDay,
            data: Data("{}".utf8))
        _ = try await store.log.append(tenant, [event])
    }
}
