import EventLoop
import Foundation
import Glibc
import HTTP
import TestSupport
import Testing

/// A collector of OpenTelemetry, as far as a test needs one, and a merchant's server at `/hook`.
private final class Collector: Sendable {
    private let spans = Lock<[[String: String]]>([])
    private let bad = Lock(0)
    /// Where messages of webhooks may go.
    let hook = Lock("")

    /// Spans as they came: `key`, `path`, and what they say.
    var all: [[String: String]] { spans.withLock { $0 } }
    var badRequests: Int { bad.withLock { $0 } }

    func named(_ name: String, of trace: String) -> [[String: String]] {
        all.filter { $0["name"] == name && $0["traceId"] == trace }
    }

    @Sendable func answer(_ request: Request) async -> Response {
        if request.target == "/hook" { return Response(status: 204) }
        guard let json = try? JSONSerialization.jsonObject(with: Data(request.body)),
            let resources = (json as? [String: Any])?["resourceSpans"] as? [[String: Any]]
        else {
            bad.withLock { $0 += 1 }
            return Response(status: 400)
        }
        for resource in resources {
            for scope in resource["scopeSpans"] as? [[String: Any]] ?? [] {
                for span in scope["spans"] as? [[String: Any]] ?? [] {
                    note(span, request)
                }
            }
        }
        return Response(
            status: 200, headers: ["content-type": "application/json"],
            body: .bytes(Array("{}".utf8)))
    }

    private func note(_ span: [String: Any], _ request: Request) {
        var texts = span.compactMapValues { ($0 as? String) ?? ($0 as? NSNumber)?.stringValue }
        for attribute in span["attributes"] as? [[String: Any]] ?? [] {
            let value = attribute["value"] as? [String: Any]
            texts[attribute["key"] as? String ?? ""] = value?.values.first as? String
        }
        texts["path"] = request.target
        texts["key"] = request.headers["x-key"]
        spans.withLock { $0.append(texts) }
    }
}

@Suite(.timeLimit(.minutes(5)))
struct `The trace of an event` {
    private let traceID = "0af7651916cd43dd8448eb211c80319c"
    private let unsampled = "0af7651916cd43dd8448eb211c80319d"

    private func event(_ id: String, _ type: String, _ data: String, _ more: String = "") -> String
    {
        """
        {"specversion":"1.0","id":"\(id)","source":"/shop","type":"PizzaDelivery.\(type)",\
        "subject":"order-1042","data":\(data)\(more)}
        """
    }

    private func with(
        _ options: [String],
        _ body: (RunningServer, Collector, String, ScratchDirectory) async throws -> Void
    ) async throws {
        let (collector, loop) = (Collector(), EventLoop(name: "collector"))
        let http = HTTP1Server(
            loop: loop, host: "127.0.0.1", port: 0, handler: collector.answer)
        let port = try await http.start()
        collector.hook.withLock { $0 = "http://127.0.0.1:\(port)/hook" }
        let database = try await TestDatabase.make()
        let key = try await RunningServer.makeKey(in: database)
        try await ScratchDirectory.with { directory in
            try Data("X-Key: abc\n".utf8).write(to: URL(filePath: directory.file("headers")))
            try Data(String(repeating: "5c", count: 32).utf8)
                .write(to: URL(filePath: directory.file("master.key")))
            let all = [
                "--database-url", database.url, "--otlp-endpoint", "http://127.0.0.1:\(port)",
                "--otlp-headers-file", directory.file("headers"), "--metrics-port", "0",
                "--master-key-file", directory.file("master.key"), "--webhook-allow-private",
            ]
            try await RunningServer.with(all + options, in: directory) { server in
                try await body(server, collector, key, directory)
            }
        }
        await http.drain(within: .milliseconds(100))
        await loop.shutdown()
    }

    private func post(
        _ body: String, _ parent: String?, _ server: RunningServer, _ key: String,
        _ directory: ScratchDirectory
    ) async throws {
        let fields = parent.map { ["--header", "traceparent: \($0)"] } ?? []
        let answer = try await server.curl(
            "/v1/events", key: key,
            fields + [
                "--header", "Content-Type: application/cloudevents+json", "--data", body,
            ], in: directory)
        #expect(answer.status == 201, "\(answer)")
    }

    /// - Parameter body: gets the options that make a server push to a simulated Apple, and where
    ///   that is controlled.
    private func withApple(_ body: ([String], String) async throws -> Void) async throws {
        try await ScratchDirectory.with { folder in
            let simulator = try await IsletProgram.start(
                [
                    "simulate", "--apns-port", "0", "--management-port", "0", "--control-port",
                    "0", "--credentials-dir", folder.path,
                ], in: folder)
            func port(_ name: String) -> String? {
                simulator.errors.components(separatedBy: "\(name)=").dropFirst().first?
                    .prefix { $0 != " " && $0 != "\n" }.description
            }
            try await waitUntil("the simulator listens") { port("control") != nil }
            let result: Result<Void, any Error>
            do {
                let options = [
                    "--apns-url", try #require(port("pushes")), "--apns-channels-url",
                    try #require(port("channels")), "--apns-key-file",
                    folder.file("AuthKey.p8"), "--apns-key-id", "SIMULATED1", "--apns-team-id",
                    "SIMULATED0", "--apns-authority-file", folder.file("authority.pem"),
                ]
                result = .success(try await body(options, try #require(port("control"))))
            } catch { result = .failure(error) }
            await simulator.child.send(signal: SIGTERM)
            _ = await simulator.child.ending()
            try result.get()
        }
    }

    private func placed() -> String {
        let soon = Date.now.addingTimeInterval(2_400).ISO8601Format()
        return event(
            "1", "OrderPlaced",
            #"{"orderNumber":"1042","numberOfPizzas":2,"totalAmount":"€24.00","#
                + #""promisedAt":"\#(soon)"}"#)
    }

    @Test func `leads from the request by append, fold and decision to the push`() async throws {
        try await withApple { options, control in
            try await with(options) { server, collector, key, directory in
                try await post(
                    placed(), "00-\(unsampled)-b7ad6b7169203331-00", server, key, directory)
                try await follow(control, server, key, directory)
                try await post(
                    event("2", "DriverAssigned", #"{"driverName":"Ada"}"#),
                    "00-\(traceID)-b7ad6b7169203331-01", server, key, directory)
                try await waitUntil("the push has its span", within: 60) {
                    !collector.named("push", of: traceID).isEmpty
                }
                try expectChain(collector)
                let kept = try await server.curl("/v1/events", key: key, in: directory)
                #expect(kept.body.contains("00-\(traceID)-b7ad6b7169203331-01"))
                let metrics = try await server.curl(
                    "/metrics", port: server.metricsPort, in: directory)
                #expect(metrics.body.contains(#"islet_trace_spans_total{outcome="sent"} 4"#))
            }
        }
    }

    @Test func `goes on to a message, a broadcast and the push that starts a card`() async throws {
        try await withApple { options, control in
            try await with(options) { server, collector, key, directory in
                func put(_ path: String, _ body: String, _ more: [String] = ["--request", "PUT"])
                    async throws
                {
                    let answer = try await server.curl(
                        path, key: key,
                        more + ["--header", "Content-Type: application/json", "--data", body],
                        in: directory)
                    #expect((200..<300).contains(answer.status), "\(path): \(answer)")
                }
                let hook = collector.hook.withLock { $0 }
                try await put("/v1/webhooks", #"{"url":"\#(hook)"}"#, [])
                let path = "/v1/activities/order-1042"
                try await put(
                    "\(path)/channels/dev.islet.demo",
                    #"{"environment":"sandbox","storagePolicy":"none"}"#)
                try await waitUntil("the channel is open", within: 60) {
                    try await server.curl(
                        "\(path)/channels/dev.islet.demo", key: key, in: directory
                    ).body.contains(#""state":"open""#)
                }
                let phone = try await ask(control, "/phones", #"{"name":"Bob"}"#, directory)
                let id = try #require(phone.firstMatch(of: /"id":"([^"]+)"/)).1
                let token = try await token(
                    control, "/phones/\(id)/start-tokens", #"{"kind":"PizzaDelivery"}"#, directory)
                try await put(
                    "/v1/start-tokens/bob/PizzaDelivery",
                    #"{"pushToken":"\#(token)","environment":"sandbox","osMajor":18,"#
                        + #""bundleId":"dev.islet.demo","topics":["customer:42"]}"#)
                try await put("\(path)/audience", #"{"topics":["customer:42"]}"#)
                try await post(
                    placed(), "00-\(traceID)-b7ad6b7169203331-01", server, key, directory)
                let names = ["webhook", "broadcast", "start"]
                try await waitUntil("all have their spans", within: 60) {
                    names.allSatisfy { !collector.named($0, of: traceID).isEmpty }
                }
                let decide = try #require(collector.named("decide", of: traceID).first)
                for span in names.flatMap({ collector.named($0, of: traceID) }) {
                    #expect(span["parentSpanId"] == decide["spanId"], "\(span)")
                    #expect(span["kind"] == "3" && span["islet.activity"] == "order-1042")
                    let status = span["name"] == "webhook" ? "204" : "200"
                    #expect(span["http.response.status_code"] == status, "\(span)")
                }
                #expect(collector.named("start", of: traceID).map { $0["islet.phones"] } == ["1"])
                let webhook = try #require(collector.named("webhook", of: traceID).first)
                #expect(webhook["islet.webhook"]?.hasPrefix("wh_") == true)
                let said = collector.all.flatMap(\.values)
                #expect(!said.contains { $0.contains(hook) || $0.contains(token) })
            }
        }
    }

    private func ask(
        _ control: String, _ path: String, _ body: String, _ directory: ScratchDirectory
    ) async throws -> String {
        try await IsletProgram.start(
            program: ["curl", "--silent", control + path, "--data", body], in: directory
        ).result().output
    }

    private func token(
        _ control: String, _ path: String, _ body: String, _ directory: ScratchDirectory
    ) async throws -> String {
        let answer = try await ask(control, path, body, directory)
        return String(try #require(answer.firstMatch(of: /"pushToken":"([0-9a-f]+)"/)).1)
    }

    private func follow(
        _ control: String, _ server: RunningServer, _ key: String, _ directory: ScratchDirectory
    ) async throws {
        let token = try await token(
            control, "/phones", #"{"name":"Ann","kind":"PizzaDelivery","activity":"order-1042"}"#,
            directory)
        let answer = try await server.post(
            #"{"pushToken":"\#(token)","environment":"sandbox","bundleId":"dev.islet.demo"}"#,
            key: key, to: "/v1/activities/order-1042/registrations", type: "application/json",
            in: directory)
        #expect((200..<300).contains(answer.status), "\(answer)")
    }

    private func expectChain(_ collector: Collector) throws {
        func only(_ name: String) throws -> [String: String] {
            let found = collector.named(name, of: traceID)
            #expect(found.count == 1, "\(name): \(found)")
            return try #require(found.first)
        }
        let (append, fold) = (try only("append"), try only("fold"))
        let (decide, push) = (try only("decide"), try only("push"))
        #expect(append["parentSpanId"] == "b7ad6b7169203331")
        #expect(fold["parentSpanId"] == append["spanId"])
        #expect(decide["parentSpanId"] == fold["spanId"])
        #expect(push["parentSpanId"] == decide["spanId"])
        #expect(decide["islet.verdict"] == "alert")
        #expect(push["http.response.status_code"] == "200")
        #expect(push["islet.phones"] == "1")
        #expect(collector.named("append", of: unsampled).isEmpty)
        #expect(collector.badRequests == 0)
        for span in collector.all {
            #expect(span["path"] == "/v1/traces" && span["key"] == "abc")
            #expect(span["spanId"]?.count == 16)
            let (began, ended) = (span["startTimeUnixNano"] ?? "", span["endTimeUnixNano"] ?? "")
            #expect(Int64(began) ?? 1 <= Int64(ended) ?? 0)
        }
    }

    @Test func `begins with the event if there is none, and an event's own comes first`()
        async throws
    {
        try await with(["--trace-ratio", "1"]) { server, collector, key, directory in
            let placed = { (id: String) in
                #"{"orderNumber":"\#(id)","numberOfPizzas":2,"totalAmount":"€24.00","#
                    + #""promisedAt":"2030-01-01T00:00:00Z"}"#
            }
            try await post(event("1", "OrderPlaced", placed("1")), nil, server, key, directory)
            try await post(
                event(
                    "2", "DriverAssigned", #"{"driverName":"Ada"}"#,
                    #","traceparent":"00-\#(traceID)-00f067aa0ba902b7-01""#),
                "00-\(unsampled)-b7ad6b7169203331-01", server, key, directory)
            try await waitUntil("both have their spans", within: 60) { collector.all.count >= 6 }
            let own = try #require(collector.named("append", of: traceID).first)
            #expect(own["parentSpanId"] == "00f067aa0ba902b7")
            #expect(collector.named("append", of: unsampled).isEmpty)
            let first = try #require(collector.all.first { $0["traceId"] != traceID })
            #expect(first["name"] == "append" && first["parentSpanId"] == nil)
        }
    }

    @Test func `keeps nothing waiting when the collector is away`() async throws {
        let database = try await TestDatabase.make()
        let key = try await RunningServer.makeKey(in: database)
        try await ScratchDirectory.with { directory in
            let options = [
                "--database-url", database.url, "--otlp-endpoint", "http://127.0.0.1:9",
                "--trace-ratio", "1",
            ]
            try await RunningServer.with(options, in: directory) { server in
                try await post(
                    event(
                        "1", "OrderPlaced",
                        #"{"orderNumber":"1","numberOfPizzas":2,"totalAmount":"€24.00","#
                            + #""promisedAt":"2030-01-01T00:00:00Z"}"#), nil, server, key,
                    directory)
                try await waitUntil("the log says so", within: 60) {
                    server.program.errors.contains("--otlp-endpoint does not take traces")
                }
                let clock = ContinuousClock.now
                #expect(await server.stop().code == 0)
                #expect(.now - clock < .seconds(15))
            }
        }
    }
}
