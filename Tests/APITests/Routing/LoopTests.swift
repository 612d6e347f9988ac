import Compression
import Domain
import EventStore
import HTTP
import Testing

@testable import API

/// What is read on the loop goes on while the tenant's turn at reading elsewhere is taken.
@Suite(.timeLimit(.minutes(1))) struct `While a large body of its tenant is read, a body` {
    struct Sent: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var path = "/v1/events"
        var type = "application/json"
        var coding: String?
        var body: String

        /// Longer than what is read into a tree on the loop.
        static let numbers = "[\(Array(repeating: "0", count: 10_000).joined(separator: ","))]"
        static let plain = (0..<100).map { SampleEvents.placed("o-\($0)", id: "\($0)") }

        static let onLoop = [
            Sent(testDescription: "plain events", body: "[\(plain.joined(separator: ","))]"),
            Sent(testDescription: "a few numbers", body: "[1,2,3]"),
            Sent(testDescription: "a short line", type: "application/x-ndjson", body: "[1,2,3]\n"),
            Sent(testDescription: "a short packed body", coding: "gzip", body: "[]"),
        ]
        static let elsewhere = [
            Sent(testDescription: "many numbers", body: numbers),
            Sent(
                testDescription: "a line of numbers", type: "application/x-ndjson",
                body: numbers + "\n"),
            Sent(
                testDescription: "a long object", path: "/v1/activities/o-1/registrations",
                body: #"{"numbers":\#(numbers)}"#),
            Sent(
                testDescription: "a packed body that has much in it", coding: "gzip",
                body: "[\(String(repeating: " ", count: Limits.unpackedOnLoopBytesMax))]"),
        ]
    }

    private let authenticator: Authenticator
    private let router: Router

    init() async {
        let fake = FakeStore()
        await fake.grant(
            "key",
            KeyGrant(
                tenant: Tenant(id: Harness.mine, name: "t1"),
                scopes: [.eventsWrite, .registrationsWrite]))
        let environment = APIEnvironment(
            now: { Moment(unixSeconds: 1_800_000_000) }, version: "test")
        authenticator = Authenticator(store: fake.store, environment: environment)
        router = Router(
            routes: API.routes(store: fake.store, environment: environment),
            authenticator: authenticator)
    }

    private func made(_ sent: Sent) throws -> Request {
        var body = Array(sent.body.utf8)
        #expect(body.count <= Limits.plainOnLoopBytesMax)
        var headers: Headers = ["authorization": "Bearer key", "content-type": sent.type]
        if let coding = sent.coding {
            headers.append("content-encoding", coding)
            body = try #require(Gzip.packed(body))
        }
        return Request(method: "POST", target: sent.path, headers: headers, body: body)
    }

    @Test(arguments: Sent.onLoop)
    func `that is read quickly does not wait`(sent: Sent) async throws {
        let request = try made(sent)
        _ = await authenticator.largeWork.bodies.begin(Harness.mine)
        #expect(await router.respond(to: request).status < 500)
        authenticator.largeWork.bodies.end(Harness.mine)
    }

    @Test(arguments: Sent.elsewhere)
    func `that may take long waits for its turn`(sent: Sent) async throws {
        let (request, router) = (try made(sent), self.router)
        _ = await authenticator.largeWork.bodies.begin(Harness.mine)
        let isAnswered = Lever(false)
        let answer = Task {
            let response = await router.respond(to: request)
            isAnswered.value = true
            return response.status
        }
        // Long enough for one that does not wait.
        try await Task.sleep(for: .milliseconds(200))
        #expect(!isAnswered.value)
        authenticator.largeWork.bodies.end(Harness.mine)
        #expect(await answer.value < 500)
    }
}
