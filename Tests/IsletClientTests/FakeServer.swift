import Foundation
import IsletClient
import Synchronization
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Gives the answers that the test has set, and keeps what it was asked.
final class FakeServer: Sendable {
    struct Asked: Sendable, Equatable {
        var method: String
        var path: String
        var body: String
        var bearer: String

        var line: String { "\(method) \(path)" }
    }

    enum Answer: Sendable {
        case json(Int, String, retryAfter: String? = nil)
        /// Of somebody between.
        case page(Int, retryAfter: String? = nil)
        case problem(Int, String, retryAfter: String? = nil)
        case unreachable
    }

    private struct State {
        var asked: [Asked] = []
        var answers: [Answer] = []
        var standard: Answer
    }

    private let state: Mutex<State>
    /// What it was asked to wait for.
    let pauses = Noted<Duration>()
    /// Pauses end by themselves; else only when they are cut short.
    let timePasses = Mutex(true)
    /// What takes too long runs out of time; else it has as long as it likes.
    let limitsPass = Mutex(false)
    /// True for each time that the app asks not to be suspended, false where that is over.
    let awake = Noted<Bool>()
    private let clock = Mutex(Date(timeIntervalSince1970: 1_800_000_000))

    init(_ answers: [Answer] = [], then standard: Answer = .json(200, "{}")) {
        state = Mutex(State(answers: answers, standard: standard))
    }

    var asked: [Asked] { state.withLock { $0.asked } }

    func answer(_ answers: Answer..., then standard: Answer? = nil) {
        state.withLock {
            $0.answers = answers
            if let standard { $0.standard = standard }
        }
    }

    var transport: HTTPTransport {
        HTTPTransport { request in
            let answer = self.state.withLock { state in
                state.asked.append(
                    Asked(
                        method: request.httpMethod ?? "", path: request.url?.pathAndQuery ?? "",
                        body: String(decoding: request.httpBody ?? Data(), as: UTF8.self),
                        bearer: request.value(forHTTPHeaderField: "Authorization") ?? ""))
                return state.answers.isEmpty ? state.standard : state.answers.removeFirst()
            }
            return try Self.response(answer, to: request)
        }
    }

    private static func response(
        _ answer: Answer, to request: URLRequest
    ) throws -> (Data, HTTPURLResponse) {
        var headers = ["Date": "Fri, 15 Jan 2027 08:00:00 GMT"]
        let (status, body, retryAfter): (Int, String, String?)
        switch answer {
        case .unreachable: throw URLError(.cannotConnectToHost)
        case .json(let code, let text, let seconds):
            (status, body, retryAfter) = (code, text, seconds)
        case .page(let code, let seconds):
            (status, body, retryAfter) = (code, "<html>Welcome</html>", seconds)
        case .problem(let code, let name, let seconds):
            status = code
            body = #"{"type":"/problems/\#(name)","title":"T","status":\#(code),"detail":"D"}"#
            retryAfter = seconds
        }
        headers["Retry-After"] = retryAfter
        guard let url = request.url,
            let response = HTTPURLResponse(
                url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: headers)
        else { throw URLError(.badURL) }
        return (Data(body.utf8), response)
    }

    /// The phone's clock goes on, or back.
    func pass(seconds: TimeInterval) { clock.withLock { $0 += seconds } }

    /// No time passes but that which it notes, and what the test lets pass.
    var timing: Timing {
        var timing = Timing()
        timing.now = { self.clock.withLock { $0 } }
        timing.sleep = { pause in
            try Task.checkCancellation()
            self.pauses.append(pause)
            if self.timePasses.withLock({ $0 }) { return await Task.yield() }
            try await Task.sleep(for: .seconds(600))
        }
        timing.chance = { 0 }
        timing.limit = { _ in
            while !self.limitsPass.withLock({ $0 }) {
                try await Task.sleep(for: .milliseconds(1))
            }
        }
        timing.keepAwake = {
            self.awake.append(true)
            return { self.awake.append(false) }
        }
        return timing
    }
}

extension URL {
    fileprivate var pathAndQuery: String {
        let parts = URLComponents(url: self, resolvingAgainstBaseURL: false)
        let query = parts?.percentEncodedQuery.map { "?\($0)" } ?? ""
        return (parts?.percentEncodedPath ?? "") + query
    }

}

extension FakeServer {
    /// A keeper that asks this server.
    func keeper(
        store: any StateStore, transport: HTTPTransport? = nil, locale: String = "de",
        tickets: @escaping CardKeeper.TicketSource = { _ in Secret("ticket") },
        handOver: CardKeeper.StartTokenTaker? = nil
    ) throws -> CardKeeper {
        CardKeeper(
            server: try #require(URL(string: "https://islet.example")),
            profile: AppProfile(
                bundleID: "com.example.pizza", environment: .sandbox, locale: locale, osMajor: 18),
            store: store, transport: transport ?? self.transport, timing: timing,
            tickets: tickets, handOver: handOver)
    }

    /// What asks for a channel waits, which `begun` counts, until `over` does; another server may
    /// then answer it.
    func delayingChannels(
        _ begun: Counter, until over: Counter, for other: FakeServer? = nil
    ) -> HTTPTransport {
        let (transport, channels) = (transport, (other ?? self).transport)
        return HTTPTransport { request in
            guard request.url?.path.hasSuffix("/channel") == true else {
                return try await transport.send(request)
            }
            begun.increment()
            while over.value == 0 { try await Task.sleep(for: .milliseconds(1)) }
            return try await channels.send(request)
        }
    }

    /// What it was asked about activities: method, activity and the rest of the path.
    var lines: [String] {
        asked.map { $0.line.replacing("/v1/activities/", with: "") }
    }

    /// Bodies of the reports that it got of cards.
    var reports: [String] {
        asked.filter { $0.path.hasSuffix("/report") }.map(\.body)
    }
}

/// Whether it is so sooner or later. The machine may be busy with hundreds of other tests.
func comes(_ condition: () async -> Bool) async -> Bool {
    let deadline = ContinuousClock.now + .seconds(120)
    while await !condition() {
        guard ContinuousClock.now < deadline else { return false }
        try? await Task.sleep(for: .milliseconds(5))
    }
    return true
}
