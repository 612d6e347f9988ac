import EventLoop
import Foundation
import HTTP
import TLS
import TestSupport
import Testing

/// A merchant's server beside a running Islet.
private final class Endpoint: Sendable {
    private let loop = EventLoop(name: "endpoint")
    private let seen = Lock<[Request]>([])

    var requests: [Request] { seen.withLock { $0 } }

    /// - Parameter status: of the answer to the message of this number.
    static func with(
        status: @escaping @Sendable (Int) -> Int = { _ in 204 },
        _ body: (Endpoint, _ url: String) async throws -> Void
    ) async throws {
        let endpoint = Endpoint()
        let server = HTTP1Server(loop: endpoint.loop, host: "127.0.0.1", port: 0) { request in
            let number = endpoint.seen.withLock { seen in
                seen.append(request)
                return seen.count
            }
            return Response(status: status(number))
        }
        let port = try await server.start()
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(endpoint, "http://127.0.0.1:\(port)/hook"))
        } catch { result = .failure(error) }
        await server.drain(within: .milliseconds(100))
        await endpoint.loop.shutdown()
        try result.get()
    }

    func types() -> [String] {
        requests.compactMap { request in
            let body = try? JSONSerialization.jsonObject(with: Data(request.body))
            return (body as? [String: Any])?["type"] as? String
        }
    }

    /// Whether every message is signed with the secret.
    func areSigned(with secret: String) -> Bool {
        guard let key = Data(base64Encoded: String(secret.dropFirst("whsec_".count))) else {
            return false
        }
        return requests.allSatisfy { request in
            let id = request.headers["webhook-id"] ?? ""
            let time = request.headers["webhook-timestamp"] ?? ""
            let code = HMACSHA256.code(
                for: Array("\(id).\(time).".utf8) + request.body, key: Array(key))
            let right = "v1," + Data(code).base64EncodedString()
            let signatures = request.headers["webhook-signature"]?.split(separator: " ") ?? []
            return signatures.contains { $0 == right }
        }
    }
}

/// The operator of Islet for the tenant `pizzeria`.
private struct Operator {
    let database: TestDatabase
    let directory: ScratchDirectory

    static func with(_ body: (Operator) async throws -> Void) async throws {
        let database = try await TestDatabase.make()
        try await ScratchDirectory.with { directory in
            let person = Operator(database: database, directory: directory)
            _ = try await person.islet("tenants", "create", "pizzeria")
            try person.write(master: String(repeating: "5c", count: 32))
            try await body(person)
        }
    }

    var options: [String] {
        [
            "--database-url", database.url, "--master-key-file", directory.file("master.key"),
            "--webhook-allow-private",
        ]
    }

    func write(master text: String) throws {
        let isWritten = FileManager.default.createFile(
            atPath: directory.file("master.key"), contents: Data(text.utf8),
            attributes: [.posixPermissions: 0o600])
        try #require(isWritten)
    }

    func islet(_ words: String...) async throws -> IsletProgram.Result {
        try await IsletProgram.run(words + ["--database-url", database.url], in: directory)
    }

    /// With the master key.
    func webhooks(_ words: String...) async throws -> IsletProgram.Result {
        let options = options
        return try await IsletProgram.run(
            ["webhooks"] + words + ["--tenant", "pizzeria"] + options, in: directory)
    }

    /// - Returns: its id and secret.
    func add(_ url: String) async throws -> (id: String, secret: String) {
        let added = try await webhooks("add", "--url", url)
        try #require(added.code == 0, "\(added.errors)")
        let id = try #require(added.errors.firstMatch(of: /wh_[0-9a-f]{24}/))
        return (String(id.0), added.output.trimmingCharacters(in: .newlines))
    }

    func key() async throws -> String {
        try await islet("keys", "create", "--tenant", "pizzeria", "--scope", "admin").output
            .trimmingCharacters(in: .newlines)
    }
}

private func event(_ type: String, _ data: String = "{}") -> String {
    #"{"specversion":"1.0","id":"\#(UUID().uuidString)","source":"/kitchen","#
        + #""type":"PizzaDelivery.\#(type)","subject":"order-1","#
        + #""time":"\#(Date.now.formatted(.iso8601))","data":\#(data)}"#
}

private let placed = event(
    "OrderPlaced",
    #"{"orderNumber":"1","numberOfPizzas":2,"totalAmount":"$9","#
        + #""promisedAt":"2099-12-31T19:00:00Z"}"#)

@Suite(.timeLimit(.minutes(2)))
struct `A server with webhooks` {
    @Test func `tells them what happens, signed, and again what did not arrive`() async throws {
        try await Operator.with { person in
            // The second message is refused once.
            try await Endpoint.with(status: { $0 == 2 ? 500 : 200 }) { endpoint, url in
                let (id, secret) = try await person.add(url)
                let tried = try await person.webhooks("test", id)
                #expect(tried.code == 0, "\(tried.errors)")
                let key = try await person.key()
                try await RunningServer.with(person.options, in: person.directory) { server in
                    _ = try await server.post(placed, key: key, in: person.directory)
                    try await waitUntil("the order is told", within: 20) {
                        endpoint.requests.count >= 3
                    }
                    _ = try await server.post(
                        event("DriverArriving"), key: key, in: person.directory)
                    try await waitUntil("the driver is told", within: 20) {
                        endpoint.types().contains("activity.alert")
                    }
                    let shown = try await server.curl(
                        "/v1/webhooks/\(id)", key: key, in: person.directory)
                    #expect(shown.member("delivered") == "2")
                    #expect(!shown.body.contains("whsec"))
                    #expect(!server.program.errors.contains("whsec"))
                    #expect(!server.program.errors.contains(url))
                }
                #expect(
                    endpoint.types().prefix(3) == [
                        "webhook.test", "activity.updated", "activity.updated",
                    ])
                #expect(endpoint.areSigned(with: secret))
                let ids = endpoint.requests.map { $0.headers["webhook-id"] ?? "" }
                #expect(ids[1] == ids[2])
                #expect(Set(ids).count == ids.count - 1)
            }
        }
    }

    @Test func `does nothing of the kind without a master key, and says so`() async throws {
        try await Operator.with { person in
            let key = try await person.key()
            try await RunningServer.with(
                ["--database-url", person.database.url], in: person.directory
            ) { server in
                let answer = try await server.post(
                    #"{"url":"https://shop.example"}"#, key: key, to: "/v1/webhooks",
                    type: "application/json", in: person.directory)
                #expect(answer.status == 409)
                #expect(answer.body.contains("--master-key-file"))
            }
        }
    }

    @Test func `lets nobody name an address of its own network`() async throws {
        try await Operator.with { person in
            let key = try await person.key()
            try await RunningServer.with(
                person.options.filter { $0 != "--webhook-allow-private" }, in: person.directory
            ) { server in
                for url in [
                    "https://127.0.0.1/", "https://localhost:5432/", "https://[::1]/",
                    "https://169.254.169.254/latest", "http://shop.example/", "https://a@b.c/",
                    "ftp://shop.example/", "https://", "nonsense",
                ] {
                    let answer = try await server.post(
                        #"{"url":"\#(url)"}"#, key: key, to: "/v1/webhooks",
                        type: "application/json", in: person.directory)
                    #expect(answer.status == 422, "\(url)")
                    #expect(answer.body.contains("/url"))
                }
            }
        }
    }
}

@Suite(.timeLimit(.minutes(2)))
struct `The commands about webhooks` {
    @Test func `add, list, turn off and on, and remove`() async throws {
        try await Operator.with { person in
            let (id, secret) = try await person.add("http://127.0.0.1:9/hook")
            #expect(secret.hasPrefix("whsec_"))
            let list = try await person.islet("webhooks", "list")
            #expect(
                list.output.contains(#/pizzeria +wh_[0-9a-f]+ +http://127.0.0.1:9/hook +enabled/#))
            #expect(!list.output.contains(secret))
            let off = try await person.islet("webhooks", "disable", id, "--tenant", "pizzeria")
            #expect(off.code == 0, "\(off.errors)")
            let json = try await person.islet("webhooks", "list", "--json")
            #expect(json.output.contains(#""state" : "disabled""#))
            let on = try await person.islet("webhooks", "enable", id, "--tenant", "pizzeria")
            #expect(on.code == 0)
            let tried = try await person.webhooks("test", id)
            #expect(tried.code == 1)
            #expect(tried.errors.contains("cannot-connect"))
            let rotated = try await person.islet(
                "webhooks", "rotate", id, "--tenant", "pizzeria", "--master-key-file",
                person.directory.file("master.key"))
            #expect(rotated.output.hasPrefix("whsec_"))
            #expect(!rotated.output.contains(secret))
            let gone = try await person.islet("webhooks", "remove", id, "--tenant", "pizzeria")
            #expect(gone.code == 0)
            let again = try await person.islet("webhooks", "remove", id, "--tenant", "pizzeria")
            #expect(again.code == 1)
            #expect(again.errors.contains("see islet webhooks list"))
        }
    }

    @Test func `keep a server from starting, or from other keys, that could sign for none`()
        async throws
    {
        try await Operator.with { person in
            let (id, _) = try await person.add("https://shop.example/hook")
            let without = try await person.islet("serve", "--port", "0")
            #expect(without.code == 1)
            #expect(without.errors.contains("secrets of webhooks, such as that of \(id)"))
            let lacking = "has no line that opens the secret of the webhook \(id)"
            try await RunningServer.with(person.options, in: person.directory) { server in
                try person.write(master: String(repeating: "7e", count: 32))
                try await server.reload(expecting: lacking)
            }
            let wrong = try await person.islet(
                "serve", "--port", "0", "--master-key-file", person.directory.file("master.key"))
            #expect(wrong.code == 1)
            #expect(wrong.errors.contains(lacking))
            // Nothing is signed for one that is turned off.
            let off = try await person.islet("webhooks", "disable", id, "--tenant", "pizzeria")
            #expect(off.code == 0, "\(off.errors)")
            try await RunningServer.with(person.options, in: person.directory) { _ in }
            let on = try await person.islet("webhooks", "enable", id, "--tenant", "pizzeria")
            #expect(on.code == 0, "\(on.errors)")
            // What the message says, for one whose line is lost.
            let remedy = try #require(
                wrong.errors.firstMatch(of: /islet webhooks rotate (--\S+) (\d+) makes/))
            let rotated = try await person.islet(
                "webhooks", "rotate", id, String(remedy.1), String(remedy.2), "--tenant",
                "pizzeria", "--master-key-file", person.directory.file("master.key"))
            #expect(rotated.code == 0, "\(rotated.errors)")
            try await RunningServer.with(person.options, in: person.directory) { _ in }
        }
    }

    @Test func `keep no server from starting for one secret of several`() async throws {
        try await Operator.with { person in
            let (lost, _) = try await person.add("https://shop.example/hook")
            let off = try await person.islet("webhooks", "disable", lost, "--tenant", "pizzeria")
            #expect(off.code == 0, "\(off.errors)")
            try person.write(master: String(repeating: "7e", count: 32))
            let (other, _) = try await person.add("https://shop.example/other")
            let on = try await person.islet("webhooks", "enable", lost, "--tenant", "pizzeria")
            #expect(on.code == 0, "\(on.errors)")
            let lacking = "has no line that opens the secret of the webhook"
            try await RunningServer.with(person.options, in: person.directory) { server in
                #expect(server.program.errors.contains("\(lacking) \(lost)"))
                #expect(!server.program.errors.contains("\(lacking) \(other)"))
                try await server.reload(expecting: "\(lacking) \(lost)")
            }
        }
    }

    @Test func `keep a server from a file without a line that one secret of several needs`()
        async throws
    {
        try await Operator.with { person in
            let (id, _) = try await person.add("https://shop.example/hook")
            let old = try String(
                contentsOfFile: person.directory.file("master.key"), encoding: .utf8)
            let new = String(repeating: "7e", count: 32)
            try person.write(master: "\(new)\n\(old)")
            _ = try await person.add("https://shop.example/other")
            try await RunningServer.with(person.options, in: person.directory) { server in
                try person.write(master: new)
                try await server.reload(
                    expecting: "has no line that opens the secret of the webhook \(id)")
                #expect(server.program.errors.contains("not taken over"))
            }
        }
    }

    @Test func `say that a new secret has another master key than the one that it ends`()
        async throws
    {
        try await Operator.with { person in
            let (id, _) = try await person.add("https://shop.example/hook")
            func rotated() async throws -> IsletProgram.Result {
                try await person.islet(
                    "webhooks", "rotate", id, "--overlap-seconds", "0", "--tenant", "pizzeria",
                    "--master-key-file", person.directory.file("master.key"))
            }
            let warning = "The secret before was sealed with another master key"
            let right = try await rotated()
            #expect(right.code == 0 && !right.errors.contains(warning), "\(right.errors)")
            try person.write(master: String(repeating: "7e", count: 32))
            let wrong = try await rotated()
            #expect(wrong.code == 0 && wrong.errors.contains(warning), "\(wrong.errors)")
            #expect(wrong.output.hasPrefix("whsec_"))
        }
    }

    @Test func `seal secrets again with another master key`() async throws {
        try await Operator.with { person in
            try await Endpoint.with { endpoint, url in
                let (id, secret) = try await person.add(url)
                let (old, new) = (
                    String(repeating: "5c", count: 32), String(repeating: "7e", count: 32)
                )
                try person.write(master: new)
                let lost = try await person.webhooks("test", id)
                #expect(lost.code == 1)
                #expect(lost.errors.contains("no line of --master-key-file"))
                try person.write(master: "\(new)\n\(old)\n")
                let resealed = try await person.islet(
                    "apps", "rewrap-keys", "--master-key-file", person.directory.file("master.key"))
                #expect(
                    resealed.errors.contains("1 of 1 keys are encrypted again"),
                    "\(resealed.errors)"
                )
                try person.write(master: new)
                #expect(try await person.webhooks("test", id).code == 0)
                #expect(endpoint.areSigned(with: secret))
            }
        }
    }

    @Test func `say what is wrong with what they are given`() async throws {
        try await Operator.with { person in
            let url = try await person.webhooks("add", "--url", "ftp://shop.example")
            #expect(url.code == 2)
            #expect(url.errors.contains("--url must look like"))
            let tenant = try await person.islet("webhooks", "list", "--tenant", "nobody")
            #expect(tenant.errors.contains("there is no tenant \"nobody\""))
            let kind = try await person.webhooks("add", "--url", "http://a.example", "--kind", "X")
            #expect(kind.code == 2)
            #expect(kind.errors.contains("--kind"))
        }
    }
}
