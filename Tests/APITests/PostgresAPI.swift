import Domain
import EventStore
import Foundation
import HTTP
import JSON
import Pipeline
import Postgres
import PostgresStore
import TLS
import TestSupport
import Testing

@testable import API

/// The API over the real store: what the door lets in, the log must be able to keep.
struct PostgresAPI {
    let handler: Handler
    let database: TestDatabase
    let store: EventStore
    /// Of the store.
    let pool: Pool
    let tenant: TenantID

    /// - Parameters:
    ///   - connectionsMax: nil for as many as tests have.
    ///   - watched: what the API gets in front of the store.
    static func make(
        appending: AppendLimits = .standard, connectionsMax: Int? = nil,
        watched: (EventStore) -> EventStore = { $0 },
        now: @escaping @Sendable () -> Moment = { Moment(unixSeconds: 1_800_000_000) }
    ) async throws -> PostgresAPI {
        let database = try await TestDatabase.make()
        let pool = connectionsMax.map { database.makePool(connectionsMax: $0) } ?? database.pool
        let store = watched(EventStore.postgres(pool: pool, appending: appending))
        let tenant = try await store.tenants.ensure("kitchen").id
        try await store.tenants.addKey(tenant, hash("key"), Set(Scope.allCases))
        return PostgresAPI(database, store, tenant, pool, now: now)
    }

    private init(
        _ database: TestDatabase, _ store: EventStore, _ tenant: TenantID, _ pool: Pool,
        now: @escaping @Sendable () -> Moment = { Moment(unixSeconds: 1_800_000_000) }
    ) {
        self.database = database
        self.pool = pool
        self.store = store
        self.tenant = tenant
        let environment = APIEnvironment(
            now: now, version: "test", webhooks: .fake,
            report: { error, doing in Issue.record("\(doing): \(error)") })
        handler = API.service(store: store, environment: environment).handler
    }

    /// Another node on the same database.
    func anotherNode() -> PostgresAPI {
        let pool = database.makePool()
        return PostgresAPI(database, .postgres(pool: pool), tenant, pool)
    }

    static func hash(_ key: String) -> [UInt8] { SHA256.hash(Array(key.utf8)) }

    func call(
        _ method: String, _ target: String, _ body: String = "",
        type: String = "application/json", with key: String = "key"
    ) async throws -> Answer {
        let request = Request(
            method: method, target: target,
            headers: ["authorization": "Bearer \(key)", "content-type": type],
            body: Array(body.utf8))
        let answer = Answer(response: await handler(request))
        try OpenAPIDocument.shipped.expectDocumented(answer, method, String(request.path))
        return answer
    }

    func post(_ event: String) async throws -> Answer {
        try await call("POST", "/v1/events", event)
    }

    /// Records what happened to a pizza order, without the API.
    func report(_ type: String, _ order: String, _ data: String = "{}") async throws {
        _ = try await store.log.append(
            tenant,
            [
                NewEvent(
                    id: UUID().uuidString, source: "/test", type: "PizzaDelivery.\(type)",
                    activityID: ActivityID(rawValue: order),
                    occurredAt: Moment(unixSeconds: 1_800_000_000), data: Data(data.utf8))
            ])
    }

    func place(_ order: String) async throws {
        try await report(
            "OrderPlaced", order,
            #"{"orderNumber":"7","numberOfPizzas":2,"totalAmount":"$3","#
                + #""promisedAt":"2026-05-01T19:00:00Z"}"#)
    }

    func fold() async throws {
        while try await store.projections.foldNext(nil, 500, BatchFolder.fold) != nil {}
    }

    /// Follows the pages of a list to their end.
    func ids(_ query: String, limit: Int = 3) async throws -> [String] {
        var next: String? = "/v1/activities?limit=\(limit)&\(query)"
        var ids: [String] = []
        while let target = next {
            let page = try await call("GET", target).json()
            ids += page["activities"]?.elements.compactMap { $0["id"]?.text } ?? []
            next = page["next"]?.text
        }
        return ids
    }

    /// Keeps every append from committing until the connection commits.
    func block() async throws -> Connection {
        let blocker = try await database.pool.openDedicated()
        try await blocker.script("BEGIN; SELECT FROM log_head FOR UPDATE")
        return blocker
    }
}
