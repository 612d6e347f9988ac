import BucketStandIn
import Domain
import EventStore
import Foundation
import ObjectStorage
import PostgresStore
import StoreTestSupport
import TestSupport
import Testing

@testable import Archive

// What tests of several of a log's archives begin with.

extension NewEvent {
    /// Names somebody.
    static func driverAssigned(_ id: String, to order: ActivityID) -> NewEvent {
        NewEvent(
            id: id, source: "/shop", type: "PizzaDelivery.DriverAssigned", activityID: order,
            occurredAt: .timeOfDay, data: Data(#"{"driverName":"Wanja"}"#.utf8))
    }
}

extension BucketStandIn {
    /// Place of a tenant's archives in it.
    static func archives(at endpoint: String) throws -> Layout {
        let credentials = try #require(BucketCredentials(keyID: keyID, secret: "secret"))
        return Layout(
            "s3://archive/shop",
            in: try Bucket(
                "archive", endpoint: endpoint, region: "us-east-1", credentials: credentials))
    }
}

extension TestDatabase {
    /// Imports into a tenant of that name.
    @discardableResult
    func take(_ layout: Layout, into name: String) async throws -> Import.Summary {
        try await Import.run(
            from: layout, chain: nil, now: MemoryLog.now.adding(seconds: 1e9),
            into: .postgres(pool),
            tenant: { () async throws(EventStoreError) in try await store.tenants.ensure(name) },
            report: { _ in })
    }
}
