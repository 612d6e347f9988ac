import Domain
import EventStore
import TestSupport
import Foundation
import HTTP
import JSON
import Testing

@testable import API

/// The API over a fake store, with two tenants. Every answer is checked by the OpenAPI document.
struct Harness {
    static let mine = TenantID(rawValue: 1)
    static let theirs = TenantID(rawValue: 2)

    let fake = FakeStore()
    let handler: Handler
    let admission: Admitter
    let time: Lever<Moment>

    init(
        limits: APILimits = .standard, healthChecks: [HealthCheck] = [],
        log: LogStatus = LogStatus(), kept: Int64? = nil,
        liveChecks: [HealthCheck] = [], hasStoreWorked: Bool = false, cors: CORSPolicy = .none,
        report: @escaping @Sendable (EventStoreError, String) -> Void = { _, _ in },
        mayRegister: @escaping @Sendable (TenantID) -> Bool = { _ in true },
        hasKey: @escaping @Sendable (TenantApp) -> Bool = { _ in true },
        usage: @escaping @Sendable (TenantID) -> TenantUsage? = { _ in nil }
    ) async {
        let time = Lever(Moment(unixSeconds: 1_800_000_000))
        self.time = time
        var store = fake.store
        store.identity = NeverRestored(keeping: kept)
        var environment = APIEnvironment(
            now: { time.value }, version: "test", healthChecks: healthChecks, limits: limits,
            log: log, report: report)
        environment.liveChecks = liveChecks
        environment.cors = cors
        environment.mayRegister = mayRegister
        environment.hasKey = hasKey
        environment.usage = usage
        environment.hasStoreWorked = { hasStoreWorked }
        let service = API.service(store: store, environment: environment)
        (handler, admission) = (service.handler, service.admission)
        await allow("all", Harness.mine, Set(Scope.allCases).subtracting([.admin]))
        await allow("admin", Harness.mine, [.admin])
        await allow("theirs", Harness.theirs, Set(Scope.allCases))
        for scope in Scope.allCases { await allow("only-\(scope.rawValue)", Harness.mine, [scope]) }
    }

    /// Orders with two events each, folded.
    static func withOrders(_ orders: [String] = ["o-1"]) async throws -> Harness {
        let api = await Harness()
        for order in orders {
            _ = try await api.post(SampleEvents.placed(order, id: "placed-\(order)"))
            _ = try await api.post(SampleEvents.assigned(order, id: "assigned-\(order)"))
        }
        try await api.fake.fold(mine)
        return api
    }

    private func allow(_ key: String, _ tenant: TenantID, _ scopes: Set<Scope>) async {
        await fake.grant(
            key,
            KeyGrant(
                keyID: Int64(fake.grants.count),
                tenant: Tenant(id: tenant, name: "t\(tenant.rawValue)"), scopes: scopes))
    }

    func revoke(_ key: String) async { await fake.revoke(key) }

    /// The store's notifications are heard a moment after the start.
    func waitUntilKeysAreRemembered() async throws {
        var lookups = -1
        while await fake.grantLookups != lookups {
            lookups = await fake.grantLookups
            _ = try await get("/v1/activities")
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    /// - Parameter key: nil sends no Authorization header.
    func call(
        _ method: String, _ target: String, key: String? = "all", body: String = "",
        type: String? = nil, headers extra: [(String, String)] = []
    ) async throws -> Answer {
        var headers = Headers()
        if let key { headers.append("authorization", "Bearer \(key)") }
        if let type { headers.append("content-type", type) }
        for (name, value) in extra { headers.append(name, value) }
        let request = Request(
            method: method, target: target, headers: headers, body: Array(body.utf8))
        let answer = Answer(response: await handler(request))
        try OpenAPIDocument.shipped.expectDocumented(answer, method, String(request.path))
        return answer
    }

    func post(_ json: String, key: String? = "all") async throws -> Answer {
        try await call("POST", "/v1/events", key: key, body: json, type: "application/json")
    }

    func get(_ target: String, key: String? = "all") async throws -> Answer {
        try await call("GET", target, key: key)
    }
}

/// A value that a test moves while the API reads it.
final class Lever<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()  // protects `current`
    private var current: Value

    init(_ value: Value) { current = value }

    var value: Value {
        get { lock.withLock { current } }
        set { lock.withLock { current = newValue } }
    }

    func update(_ change: (inout Value) -> Void) { lock.withLock { change(&current) } }
}

/// A response with its body read as JSON where it is JSON.
struct Answer {
    var response: Response

    var status: Int { response.status }

    var bytes: [UInt8] {
        switch response.body {
        case .bytes(let bytes): bytes
        case .stream: []
        }
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Answers may be deeper than requests: a page wraps the events that it lists.
    func json() throws -> JSON {
        try JSONParser.parse(bytes, depthMax: 2 * JSONParser.jsonDepthMax)
    }

    func header(_ name: String) -> String? { response.headers[name] }

    /// Checks the shape that every problem document has and returns it.
    @discardableResult
    func expectProblem(
        _ problem: Problem, pointers: [String]? = nil, remedy: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> JSON {
        let document = try json()
        #expect(document["type"]?.text == problem.type, "\(text)", sourceLocation: sourceLocation)
        #expect(status == problem.status, sourceLocation: sourceLocation)
        #expect(document["status"] == .integer(problem.status), sourceLocation: sourceLocation)
        #expect(document["title"]?.text == problem.title, sourceLocation: sourceLocation)
        #expect(
            document["remedy"]?.text == remedy ?? problem.remedy, sourceLocation: sourceLocation)
        #expect(document["detail"]?.text?.isEmpty == false, sourceLocation: sourceLocation)
        #expect(
            header("content-type") == "application/problem+json", sourceLocation: sourceLocation)
        if let pointers {
            let found = document["errors"]?.elements.compactMap { $0["pointer"]?.text }
            #expect(found == pointers, "\(text)", sourceLocation: sourceLocation)
            let single = pointers.count == 1 ? pointers[0] : nil
            #expect(document["pointer"]?.text == single, sourceLocation: sourceLocation)
        }
        return document
    }
}

extension JSON {
    var elements: [JSON] {
        if case .array(let elements) = self { elements } else { [] }
    }

    var names: [String] {
        if case .object(let members) = self { members.map(\.name) } else { [] }
    }
}
