import Compression
import Domain
import EventStore
import Foundation
import HTTP
import JSON
import Testing

@testable import API

@Test func `health is well when every check is`() async throws {
    let api = await Harness(
        healthChecks: [HealthCheck(name: "apns") { .healthy("2 connections") }])
    let answer = try await api.get("/healthz", key: nil)
    #expect(answer.status == 200)
    let health = try answer.json()
    #expect(health["status"]?.text == "healthy")
    #expect(health["version"]?.text == "test")
    #expect(health["checks"]?.names == ["store", "apns"])
    #expect(health["checks"]?["apns"]?["detail"]?.text == "2 connections")
}

@Test func `health is a 503 naming the check that is not well`() async throws {
    let api = await Harness(healthChecks: [HealthCheck(name: "apns") { .unhealthy("no route") }])
    let answer = try await api.get("/healthz", key: nil)
    #expect(answer.status == 503)
    #expect(try answer.json()["checks"]?["apns"]?["status"]?.text == "unhealthy")
    #expect(try answer.json()["checks"]?["store"]?["status"]?.text == "healthy")
}

@Test func `health is a 503 without internals when the store is away`() async throws {
    let api = await Harness()
    await api.fake.fail(with: .unavailable(detail: "secret host"))
    let answer = try await api.get("/healthz", key: nil)
    #expect(answer.status == 503)
    #expect(!answer.text.contains("secret"))
}

@Test func `a node is ready when its look-up waits while other calls are carried out`() async throws
{
    let api = await Harness(hasStoreWorked: true)
    await api.fake.fail(with: .unavailable(detail: "no database connection in time"))
    let answer = try await api.get("/readyz", key: nil)
    #expect(answer.status == 200)
    #expect(try answer.json()["checks"]?["store"]?["detail"]?.text?.hasPrefix("busy") == true)
}

@Test func `readiness and its alias say the same, and liveness asks nobody`() async throws {
    let api = await Harness(
        healthChecks: [HealthCheck(name: "appends") { .unhealthy("no disk") }],
        liveChecks: [HealthCheck(name: "loops") { .healthy("turning") }])
    await api.fake.fail(with: .unavailable(detail: "gone"))
    let (ready, alias) = (
        try await api.get("/readyz", key: nil), try await api.get("/healthz", key: nil)
    )
    #expect(ready.status == 503 && ready.text == alias.text)
    #expect(ready.text.contains("no disk"))
    let live = try await api.get("/livez", key: nil)
    #expect(live.status == 200)
    #expect(try live.json()["checks"]?.names == ["loops"])
}

@Test func `a path that is no route is a problem document`() async throws {
    let api = await Harness()
    for path in ["/v1", "/v1/events/", "/v2/events", "//", "/v1/activities//events", "/healthz/x"] {
        try await api.get(path).expectProblem(.unknownRoute)
    }
}

@Test func `a method that a path does not know is refused with those it does`() async throws {
    let api = await Harness()
    let answer = try await api.call("DELETE", "/v1/events")
    try answer.expectProblem(.methodNotAllowed)
    #expect(answer.header("allow") == "POST, GET, HEAD, OPTIONS")
    let other = try await api.call("PUT", "/v1/activities/o-1")
    #expect(other.header("allow") == "GET, HEAD, OPTIONS")
}

@Test func `HEAD is answered like GET, and the server leaves the body out`() async throws {
    let api = await Harness()
    let full = try await api.call("GET", "/healthz", key: nil, headers: [("x-request-id", "1")])
    let head = await api.handler(
        Request(method: "HEAD", target: "/healthz", headers: ["x-request-id": "1"]))
    #expect(head.status == 200)
    #expect(head.headers == full.response.headers)
    let refused = await api.handler(
        Request(method: "HEAD", target: "/v1/activities/o-1/registrations"))
    #expect(refused.status == 405)
}

@Test func `the start page leads to the dashboard`() async throws {
    let answer = try await Harness().get("/", key: nil)
    #expect(answer.status == 302)
    #expect(answer.header("location") == "/dashboard")
}

@Test func `without JavaScript the dashboard says what it needs`() async throws {
    let page = try await Harness().get("/dashboard", key: nil).text
    #expect(page.contains("<noscript><p class=\"banner\">The dashboard needs JavaScript"))
}

@Test func `the dashboard's files load nothing from elsewhere and run nothing inline`() async throws
{
    let api = await Harness()
    let page = try await api.get("/dashboard", key: nil)
    var files = page.text.matches(of: /(?:src|href)="([^"#][^"]*)"/).map { String($0.1) }
    #expect(files.count >= 2)
    let scripts = Assets.shipped.dashboard.keys.filter { $0.hasSuffix(".js") }
    files += ["/dashboard/index.html"] + scripts.map { "/dashboard/\($0)" }
    for file in files {
        let answer = try await api.get(file, key: nil)
        #expect(answer.status == 200, "\(file)")
        let policy = try #require(answer.header("content-security-policy"))
        #expect(policy.contains("default-src 'none'"))
        #expect(!policy.contains("unsafe"))
        #expect(answer.header("x-content-type-options") == "nosniff")
        // The name of a language is no address that is asked.
        let text = answer.text.replacing("http://www.w3.org/2000/svg", with: "")
        #expect(!text.contains("http://") && !text.contains("https://"), "\(file)")
        #expect(!answer.text.contains("innerHTML"), "\(file)")
    }
    #expect(!page.text.contains("<script>"))
    #expect(!page.text.contains("style="))
    let icon = try await api.get("/dashboard/icon.svg", key: nil)
    #expect(files.contains("/dashboard/icon.svg"))
    #expect(icon.header("content-type") == "image/svg+xml")
}

@Test(arguments: [
    ".DS_Store", ".board.js.swp", ".#board.js", "board.js~", "board.js.orig", "README.md", "icons",
])
func `what is left between the dashboard's files is not served`(name: String) {
    #expect(Assets.mediaType(of: name) == nil)
}

@Test func `files that anybody may have are packed already when somebody asks for them`()
    async throws
{
    let api = await Harness()
    let files: [(route: String, path: [String: String])] = [
        ("/openapi.json", [:]), ("/docs/{asset}", ["asset": "docs.js"]),
        ("/dashboard/{asset}", ["asset": "activity.js"]),
    ]
    for file in files {
        let route = try #require(
            SiteRoutes().routes.first { $0.path.description == file.route }, "\(file)")
        guard case .open(let action) = route.action else {
            Issue.record("\(file.route) asks for a key")
            continue
        }
        let target = file.route.replacing("{asset}", with: file.path["asset"] ?? "")
        func ask(_ headers: Headers) async throws -> Response {
            let request = Request(method: "GET", target: target, headers: headers)
            return try await action(Call(request: request, path: file.path, query: [:]))
        }
        let plain = Answer(response: try await ask([:])).bytes
        for coding in ContentCoding.allCases {
            let headers: Headers = ["accept-encoding": coding.rawValue]
            let packed = try await ask(headers)
            #expect(packed.headers["content-encoding"] == coding.rawValue, "\(target)")
            #expect(Answer(response: packed).bytes.count < plain.count)
            let served = await api.handler(
                Request(method: "GET", target: target, headers: headers))
            #expect(served.headers.values(of: "content-encoding") == [coding.rawValue])
            #expect(served.headers.values(of: "vary") == ["accept-encoding"])
        }
        let gzip = Answer(response: try await ask(["accept-encoding": "gzip"])).bytes
        #expect(try Gzip.unpacked(gzip, atMost: plain.count) == plain)
    }
}

@Test func `only the files of the dashboard and of the reference are served`() async throws {
    let api = await Harness()
    for name in ["..%2Fopenapi.json", "%2e%2e", "dashboard.css%00", "nothing.js"] {
        for place in ["dashboard", "docs"] {
            try await api.get("/\(place)/\(name)", key: nil).expectProblem(.unknownRoute)
        }
    }
}

@Test func `the OpenAPI document and the routes name each other`() throws {
    let routes = API.routes(
        store: FakeStore().store,
        environment: APIEnvironment(
            now: { Moment(unixSeconds: 0) }, version: "test"))
    let document = OpenAPIDocument.shipped
    let built = Set(
        routes.map {
            OpenAPIDocument.Operation(method: $0.method.rawValue, path: $0.path.description)
        })
    #expect(built == document.operations)
    for route in routes {
        let name = OpenAPIDocument.Operation(
            method: route.method.rawValue, path: route.path.description)
        #expect(document.queryParameters(of: name).sorted() == route.query.sorted(), "\(name)")
        let operation = try #require(document.description(of: name))
        let scopes = operation["security"]?.elements.flatMap { $0["key"]?.elements ?? [] }
        switch route.action {
        case .open: #expect(scopes == [], "\(route.path)")
        case .keyed(let scope, _, _):
            #expect(scopes == [.string(scope.rawValue)], "\(route.path)")
            let answers = Set(operation["responses"]?.names ?? [])
            #expect(answers.isSuperset(of: ["401", "403", "429"]), "\(route.path)")
        }
        let isTicketed =
            if case .keyed(_, isTicketed: true, _) = route.action { true } else { false }
        let tickets = operation["security"]?.elements.filter { $0.names == ["ticket"] } ?? []
        #expect(tickets.count == (isTicketed ? 1 : 0), "\(route.path)")
    }
}

@Test func `the OpenAPI document is served as it was checked`() async throws {
    let answer = try await Harness().get("/openapi.json", key: nil)
    #expect(try answer.json() == OpenAPIDocument.shipped.json)
    #expect(try answer.json()["openapi"]?.text == "3.1.0")
}

@Test func `every reference inside the OpenAPI document leads somewhere`() throws {
    let document = OpenAPIDocument.shipped.json
    let text = String(decoding: document.bytes, as: UTF8.self)
    let references = text.matches(of: /"\$ref":"#\/([^"]+)"/).map { String($0.1) }
    #expect(references.count > 30)
    for reference in references {
        let target = reference.split(separator: "/").reduce(Optional(document)) { $0?[String($1)] }
        #expect(target != nil, "\(reference)")
    }
}

@Test func `the limits that the OpenAPI document states are those in force`() {
    let components = OpenAPIDocument.shipped.json["components"]
    let limit = components?["parameters"]?["limit"]?["schema"]
    #expect(limit?["maximum"] == .integer(Limits.pageRowsMax))
    #expect(limit?["default"] == .integer(Limits.pageRowsDefault))
    let batch = components?["schemas"]?["EventBatch"]
    #expect(batch?["maxItems"] == .integer(APILimits.standard.eventsPerBatchMax))
}

@Test func `a file that is the same for everybody is not counted for each, packed or not`() {
    let text = [UInt8](repeating: 97, count: 10_000)
    let file = SharedFile(Response(status: 200, body: .bytes(text)))
    for (accepted, isPacked) in [("identity", false), ("gzip", true), ("zstd", true)] {
        let answer = file.answer(
            to: Request(method: "GET", target: "/", headers: ["accept-encoding": accepted]))
        #expect(answer.isShared)
        #expect((answer.headers["content-encoding"] != nil) == isPacked)
    }
}
