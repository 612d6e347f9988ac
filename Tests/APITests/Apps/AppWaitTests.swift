import Domain
import EventStore
import Foundation
import JSON
import Pipeline
import Postgres
import TestSupport
import Testing

@testable import API

/// As many apps as that, each of which a phone has made up.
private func madeUp(from first: Int, through last: Int) -> String {
    """
    INSERT INTO registration (
        tenant, activity_id, push_token, environment, bundle_id, retry_at, last_failure
    )
    SELECT r.tenant, r.activity_id, md5(n::text), r.environment, 'com.made.up-' || n,
        r.retry_at, r.last_failure
    FROM registration r CROSS JOIN generate_series(\(first), \(last)) n
    WHERE r.id = (SELECT min(id) FROM registration)
    """
}

@Test(.timeLimit(.minutes(2)))
func `phones that wait for their app are counted, with what to do, and said of their activity`()
    async throws
{
    let api = try await PostgresAPI.make()
    let placed = NewEvent(
        id: "1", source: "/test", type: "PizzaDelivery.OrderPlaced",
        activityID: ActivityID(rawValue: "order-1"), occurredAt: Moment(unixSeconds: 1_800_000_000),
        data: Data(
            #"{"orderNumber":"1","numberOfPizzas":1,"totalAmount":"€9","#.utf8)
            + Data(#""promisedAt":"2099-01-01T00:00:00Z"}"#.utf8))
    _ = try await api.store.log.append(api.tenant, [placed])
    while try await api.store.projections.foldNext(nil, 100, BatchFolder.fold) != nil {}
    let empty = try await api.call("GET", "/v1/overview").json()["apps"]
    #expect(empty?["waiting"]?.elements.isEmpty == true)
    #expect(empty?["alarms"]?.elements.isEmpty == true)
    let app = TenantApp(tenant: api.tenant, bundleID: "com.example", environment: .production)
    for number in 1...2 {
        let token = try #require(PushToken(hex: String(repeating: "\(number)", count: 32)))
        _ = try await api.store.registrations.register(
            api.tenant, placed.activityID, token, .production, "com.example")
    }
    _ = try await api.database.pool.query(
        "UPDATE registration SET retry_at = 'epoch', last_failure = 'no-app'")
    try await api.store.apps.raise(
        AppAlarm(
            app: app, suspension: .keyRefused, reason: "InvalidProviderToken",
            since: Moment(unixSeconds: 1_800_000_000), probeAt: Moment(unixSeconds: 1_800_000_030)))
    let apps = try await api.call("GET", "/v1/overview").json()["apps"]
    let waiting = try #require(apps?["waiting"]?.elements.first)
    #expect(waiting["bundleId"]?.text == "com.example")
    #expect(waiting["environment"]?.text == "production")
    #expect(waiting["hold"]?.text == "no-app")
    #expect(waiting["phones"] == .integer(2))
    #expect(waiting["remedy"]?.text?.contains("islet apps add") == true)
    #expect(apps?["waitingMore"] == .integer(0))
    let alarm = try #require(apps?["alarms"]?.elements.first)
    #expect(alarm["hold"]?.text == "key-refused")
    #expect(alarm["reason"]?.text == "InvalidProviderToken")
    #expect(alarm["since"]?.text == "2027-01-15T08:00:00Z")
    let why = try await api.call("GET", "/v1/activities/order-1/why").json()
    let sentences = why["sentences"]?.elements.compactMap(\.text) ?? []
    let said = sentences.filter {
        $0.hasPrefix("2 phones wait, since the app com.example is not there")
    }
    #expect(said.count == 1, "\(sentences)")
    // As many as a phone may make up.
    _ = try await api.database.pool.query(madeUp(from: 100, through: 199))
    let many = try await api.call("GET", "/v1/overview").json()["apps"]
    #expect(many?["waiting"]?.elements.count == Domain.Limits.appsShownMax)
    #expect(many?["waiting"]?.elements.first?["bundleId"]?.text == "com.example")
    #expect(many?["waitingMore"] == .integer(81))
    let attention = try await api.call("GET", "/v1/attention").json()
    #expect(attention["waiting"]?.elements.count == Domain.Limits.appsShownMax)
    #expect(attention["waitingMore"] == .integer(81))
    #expect(try await api.call("GET", "/v1/apps").json()["waiting"]?.elements.count == 101)
    #expect(try await api.store.operators.deferredPhones(api.tenant).isPartial == false)
    _ = try await api.database.pool.query(madeUp(from: 200, through: 1_300))
    let most = try await api.store.operators.deferredPhones(api.tenant)
    #expect(most.count == Domain.Limits.appsCountedMax && most.isPartial)
    #expect(most.first?.app == app && most.first?.count == 2)
    let all = try await api.call("GET", "/v1/apps").json()["waiting"]?.elements ?? []
    #expect(all.count == Domain.Limits.appsCountedMax)
    let last = try await api.call("GET", "/v1/attention").json()
    #expect(last["waitingMore"] == .integer(980))
}

@Test(.timeLimit(.minutes(2)))
func `alarms of apps are named up to a bound, those for which phones wait first`() async throws {
    let api = try await PostgresAPI.make()
    _ = try await api.database.pool.query(
        """
        INSERT INTO app_alarm
        SELECT \(api.tenant.rawValue), 'com.example-' || n, 'production', 'key-refused',
            'TopicDisallowed', now(), now()
        FROM generate_series(100, 130) n
        """)
    let token = try #require(PushToken(hex: String(repeating: "1", count: 32)))
    _ = try await api.store.registrations.register(
        api.tenant, ActivityID(rawValue: "order-1"), token, .production, "com.example-130")
    _ = try await api.database.pool.query(
        "UPDATE registration SET retry_at = 'epoch', last_failure = 'key-refused'")
    let attention = try await api.call("GET", "/v1/attention").json()
    let overview = try await api.call("GET", "/v1/overview").json()["apps"]
    let documents: [JSON?] = [attention, overview]
    for document in documents {
        let named = document?["alarms"]?.elements ?? []
        #expect(named.count == Domain.Limits.appsShownMax)
        #expect(named.first?["bundleId"]?.text == "com.example-130")
        #expect(document?["alarmsMore"] == .integer(11))
    }
    #expect(try await api.call("GET", "/v1/apps").json()["alarms"]?.elements.count == 31)
}
