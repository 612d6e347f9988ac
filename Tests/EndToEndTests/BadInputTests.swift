import Domain
import EventStore
import Foundation
import TestSupport
import Testing

/// What a server process answers to requests that are wrong, seen with curl.
@Suite(.timeLimit(.minutes(5)))
struct `Bad input` {
    private struct Case {
        var what: String
        var body: String
        var status: Int
        var problem: String
        /// Field that is named; nil where there is none.
        var pointer: String?
    }

    private static let good = Story.assigned("Ada", "order-1")

    private static let cases = [
        Case(
            what: "no JSON", body: String(good.dropLast()), status: 400, problem: "malformed-json",
            pointer: ""),
        Case(
            what: "a number cut short", body: good.replacing(#""Ada""#, with: "1."), status: 400,
            problem: "malformed-json", pointer: "/data/driverName"),
        Case(
            what: "nothing at all", body: "", status: 400, problem: "malformed-json", pointer: ""),
        Case(
            what: "an unknown type", body: good.replacing("DriverAssigned", with: "DriverVanished"),
            status: 422, problem: "unknown-event-type", pointer: "/type"),
        Case(
            what: "a missing field", body: Story.event("DriverAssigned", "order-1"), status: 422,
            problem: "invalid-event-data", pointer: "/data/driverName"),
        Case(
            what: "a field of another type", body: good.replacing(#""Ada""#, with: "7"),
            status: 422, problem: "invalid-event-data", pointer: "/data/driverName"),
        Case(
            what: "a missing attribute", body: good.replacing(#""subject""#, with: #""object""#),
            status: 422, problem: "invalid-attribute", pointer: "/subject"),
        Case(
            what: "a body over the limit",
            body: good + String(repeating: " ", count: 1 << 20), status: 413,
            problem: "body-too-large", pointer: nil),
        Case(
            what: "a batch with one wrong event",
            body: "[\(good),\(Story.event("DriverAssigned", "order-1"))]", status: 422,
            problem: "invalid-event-data", pointer: "/1/data/driverName"),
    ]

    @Test func `gets a problem document that names field and remedy, and changes nothing`()
        async throws
    {
        let database = try await TestDatabase.make()
        try await ScratchDirectory.with { directory in
            try await RunningServer.with(["--database-url", database.url], in: directory) {
                server in
                let created = try await IsletProgram.run(
                    ["keys", "create", "--tenant", "acme", "--database-url", database.url],
                    in: directory)
                #expect(created.code == 0, "\(created.errors)")
                let key = created.output.trimmingCharacters(in: .newlines)
                #expect(key.wholeMatch(of: /islet_[A-Za-z0-9_-]{43}/) != nil)
                let tenant = try await database.store.tenants.ensure("acme").id
                func head() async throws -> Int64 { try await database.store.log.head(tenant) }
                for wrong in Self.cases {
                    let answer = try await server.post(
                        wrong.body, key: key,
                        type: wrong.body.hasPrefix("[")
                            ? "application/cloudevents-batch+json" : "application/cloudevents+json",
                        in: directory)
                    expect(answer, wrong.status, wrong.problem, wrong.pointer, "\(wrong.what)")
                    #expect(try await head() == 0, "\(wrong.what)")
                }
                try await expectKeysRefused(server, directory)
                try await expectRegistrationRefused(server, key, directory)
                #expect(try await head() == 0)
                // The same event in order goes in.
                let answer = try await server.post(Self.good, key: key, in: directory)
                #expect(answer.status == 201)
                #expect(try await head() == 1)
                let log = server.program.errors
                #expect(!log.contains(key), "the log names a key")
            }
        }
    }

    private func expectKeysRefused(
        _ server: RunningServer, _ directory: ScratchDirectory
    ) async throws {
        let wrongKey = "islet_" + String(repeating: "A", count: 43)
        let wrong = try await server.post(Self.good, key: wrongKey, in: directory)
        expect(wrong, 401, "invalid-key", nil, "a wrong key")
        #expect(!wrong.body.contains(wrongKey))
        let missing = try await server.post(Self.good, key: nil, in: directory)
        expect(missing, 401, "missing-key", nil, "no key")
    }

    private func expectRegistrationRefused(
        _ server: RunningServer, _ key: String, _ directory: ScratchDirectory
    ) async throws {
        let body = #"{"pushToken":"xyz","environment":"sandbox","bundleId":"com.example"}"#
        let answer = try await server.post(
            body, key: key, to: "/v1/activities/order-1/registrations", type: "application/json",
            in: directory)
        expect(answer, 422, "invalid-registration", "/pushToken", "a wrong push token")
        #expect(!answer.body.contains("xyz"))
    }

    private func expect(
        _ answer: RunningServer.Answer, _ status: Int, _ problem: String, _ pointer: String?,
        _ what: Comment
    ) {
        #expect(answer.status == status, what)
        #expect(answer.type == "application/problem+json", what)
        #expect(answer.member("type") == "/problems/\(problem)", what)
        #expect(answer.member("status") == "\(status)", what)
        #expect(answer.member("pointer") == pointer, what)
        for name in ["title", "detail", "remedy"] {
            #expect(answer.member(name)?.isEmpty == false, what)
        }
    }
}
