import Domain
import EventStore
import Foundation
import Postgres
import TestSupport
import Testing

/// People who follow `customer:42`, and orders of theirs.
extension Scene {
    static let topic = "customer:42"

    static func topics(_ names: [String]) throws -> [AudienceTopic] {
        try names.map { try #require(AudienceTopic(rawValue: $0)) }
    }

    /// A phone gives its push-to-start token.
    @discardableResult
    func putToken(
        _ name: String, topics: [String] = [topic], token: String? = nil, osMajor: Int? = 18,
        locale: String? = nil, kind: String = "PizzaDelivery"
    ) async throws -> StartPut {
        try await store.startTokens.putToken(
            tenant,
            StartWish(
                installation: name, kind: kind,
                token: try #require(PushToken(hex: Self.tokenHex(token ?? name))),
                environment: .sandbox, bundleID: "com.example.pizza",
                topics: try Self.topics(topics), locale: locale, osMajor: osMajor))
    }

    @discardableResult
    func putAudience(
        _ activity: String = Fact.order, topics: [String] = [topic], notBefore: Moment? = nil
    ) async throws -> StartPut {
        try await store.startTokens.putAudience(
            tenant, ActivityID(rawValue: activity), try Self.topics(topics), notBefore)
    }

    func audience(_ activity: String = Fact.order) async throws -> AudienceReport {
        try #require(try await store.startTokens.audience(tenant, ActivityID(rawValue: activity)))
    }

    func counts(_ activity: String = Fact.order) async throws -> [StartState: Int] {
        try await audience(activity).counts
    }

    /// As many phones as wished that follow the topic.
    func putManyTokens(_ count: Int) async throws {
        _ = try await database.pool.query(
            """
            INSERT INTO start_device (tenant, installation, bundle_id)
            SELECT $1, 'phone-' || n, 'com.example.pizza' FROM generate_series(1, $2) AS n
            """, [.int4(tenant.rawValue), .int4(Int32(count))])
        _ = try await database.pool.query(
            """
            INSERT INTO start_token (
                tenant, device_id, kind, push_token, environment, put_at, changed_at
            )
            SELECT tenant, id, 'PizzaDelivery', lpad(to_hex(id), 64, '0'), 'sandbox',
                clock_timestamp(), clock_timestamp()
            FROM start_device WHERE tenant = $1
            """, [.int4(tenant.rawValue)])
        _ = try await database.pool.query(
            """
            INSERT INTO start_topic (tenant, kind, topic, device_id)
            SELECT tenant, 'PizzaDelivery', $2, id FROM start_device WHERE tenant = $1
            """, [.int4(tenant.rawValue), .text(Self.topic)])
    }

    /// Starts that went out so far.
    var starts: [RecordingTransport.Push] { transport.pushes.filter { $0.event == "start" } }
}
