import Domain
import EventLoop
import Foundation
import HTTP
import JSON
import ServerClient
import Simulator

@testable import Demo

/// A server that takes everything, and remembers what it was sent.
struct ServerStandIn: Sendable {
    struct Call: Sendable {
        var method: String
        /// Not escaped any more.
        var path: String
        /// What came behind "Bearer ".
        var key: String
        var body: JSON

        var line: String { "\(method) \(path)" }
    }

    /// Overrides the usual answer; nil leaves it.
    typealias Answer = @Sendable (Call) -> Response?

    let calls = Lock<[Call]>([])
    let loop = EventLoop(name: "stand-in")
    /// Phones that are in no network.
    let simulator = Simulator(
        SimulatorConfiguration(now: { Moment(unixSeconds: 1_800_000_000) }), seed: 7,
        isSigned: { _, _, _ in true })

    static func with(
        _ body: (ServerStandIn, DemoPlayer) async throws -> Void
    ) async throws {
        try await with(answering: { _ in nil }, body)
    }

    /// A demo's player before it and before the phones.
    static func with(
        answering answer: @escaping Answer,
        _ body: (ServerStandIn, DemoPlayer) async throws -> Void
    ) async throws {
        let stand = ServerStandIn()
        let (server, client) = try await stand.start(answer)
        try await body(
            stand, DemoPlayer(client: client, simulator: stand.simulator, screen: DemoScreen()))
        await server.drain(within: .milliseconds(100))
    }

    /// - Returns: also who asks it as the merchant.
    func start(_ answer: @escaping Answer) async throws -> (HTTP1Server, RemoteServer) {
        let server = HTTP1Server(loop: loop, host: "127.0.0.1", port: 0) { request in
            let key = request.headers["authorization"] ?? ""
            let call = Call(
                method: request.method, path: request.target.removingPercentEncoding ?? "",
                key: String(key.dropFirst("Bearer ".count)),
                body: (try? JSONParser.parse(request.body)) ?? .null)
            calls.withLock { $0.append(call) }
            return answer(call) ?? usual(call)
        }
        let port = try await server.start()
        return (server, RemoteServer(ServerURL(localPort: port), key: "merchant", on: loop))
    }

    /// Versions are so high that every activity is folded up to any event.
    private func usual(_ call: Call) -> Response {
        let parts = call.path.split(separator: "/")
        return switch call.line {
        case "POST /v1/events": Self.answer(#"{"events":[{"version":99}]}"#)
        case _ where call.path.hasSuffix("/tickets"):
            Self.answer(#"{"ticket":"ticket of \#(parts[2])"}"#, status: 201)
        case _ where call.method == "GET" && parts.count == 3:
            Self.answer(#"{"version":99,"kind":"\#(Self.kind(of: parts[2]))"}"#)
        default: Self.answer("{}")
        }
    }

    static func answer(_ text: String, status: Int = 200) -> Response {
        Response(status: status, body: .bytes(Array(text.utf8)))
    }

    private static func kind(of activity: some StringProtocol) -> String {
        activity.hasPrefix("adventure") ? "Adventure" : "Match"
    }

    /// Without the events.
    var lines: [String] {
        calls.withLock { $0 }.map(\.line).filter { $0 != "POST /v1/events" }
    }

    func bodies(_ line: String) -> [JSON] {
        calls.withLock { $0 }.filter { $0.line == line }.map(\.body)
    }
}
