import EventLoop
import HTTP
import Testing

/// A client that sends exactly the bytes that it gets, well-formed or not.
// @unchecked: everything is touched on the loop's thread only.
final class RawClient: @unchecked Sendable {
    private let loop: EventLoop
    private var socket: Socket?
    private var received: [UInt8] = []
    private var isOver = false
    private var condition: (([UInt8]) -> Bool)?
    private var timer: LoopTimer?
    private var waiter: CheckedContinuation<Void, Never>?
    /// How long it rests after each read.
    private var rest: Duration?

    private init(_ loop: EventLoop) { self.loop = loop }

    static func connect(_ loop: EventLoop, port: Int) async -> RawClient {
        let client = RawClient(loop)
        await withCheckedContinuation { continuation in
            loop.run {
                loop.connect(host: "127.0.0.1", port: port, timeout: .seconds(5)) { result in
                    client.adopt(result)
                    continuation.resume()
                }
            }
        }
        return client
    }

    private func adopt(_ result: Result<Socket, NetworkError>) {
        guard case .success(let socket) = result else {
            isOver = true
            return
        }
        self.socket = socket
        socket.onBytes = { [self] bytes in
            received += bytes
            check()
            takeRest()
        }
        socket.onClose = { [self] _ in
            isOver = true
            check()
        }
    }

    private func check() {
        guard isOver || condition?(received) ?? false else { return }
        endWait()
    }

    private func endWait() {
        condition = nil
        timer?.cancel()
        timer = nil
        waiter?.resume()
        waiter = nil
    }

    func send(_ text: String) async { await send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) async { await loop.submit { self.socket?.write(bytes) } }

    /// Sends one byte at a time, for as long as the connection lasts.
    func drip(_ text: String, every pause: Duration) async {
        loop.run { self.drip(Array(text.utf8)[...], pause) }
    }

    private func drip(_ bytes: ArraySlice<UInt8>, _ pause: Duration) {
        guard let first = bytes.first, !isOver else { return }
        socket?.write([first])
        loop.schedule(after: pause) { self.drip(bytes.dropFirst(), pause) }
    }

    /// From now on reads `bytesMax` at most in every `rest`.
    func readSlowly(_ bytesMax: Int, every rest: Duration) async {
        await loop.submit {
            self.socket?.readBytesMax = bytesMax
            self.rest = rest
        }
    }

    private func takeRest() {
        guard let rest else { return }
        socket?.pauseReading()
        loop.schedule(after: rest) {
            if self.rest != nil { self.socket?.resumeReading() }
        }
    }

    func setReading(_ isReading: Bool) async {
        await loop.submit {
            self.rest = nil
            if isReading { self.socket?.resumeReading() } else { self.socket?.pauseReading() }
        }
    }

    /// Says that nothing more will be sent; what comes is still read.
    func finish() async { await loop.submit { self.socket?.shutdownThenClose() } }

    func close() async { await loop.submit { self.socket?.close() } }

    /// Everything received so far, once it fulfils the condition or the server has closed.
    func wait(
        within time: Duration = .seconds(10), until condition: @escaping @Sendable (String) -> Bool
    ) async -> String {
        await wait(within: time, bytes: { condition(String(decoding: $0, as: UTF8.self)) })
        return await loop.submit { String(decoding: self.received, as: UTF8.self) }
    }

    /// Everything up to the server's close.
    func readToEnd(within time: Duration = .seconds(10)) async -> String {
        await wait(within: time, bytes: nil)
        let isOver = await loop.submit { self.isOver }
        #expect(isOver, "the server did not close the connection")
        return await loop.submit { String(decoding: self.received, as: UTF8.self) }
    }

    private func wait(within time: Duration, bytes condition: (@Sendable ([UInt8]) -> Bool)?) async
    {
        await withCheckedContinuation { continuation in
            loop.run {
                self.waiter = continuation
                self.condition = condition
                self.timer = self.loop.schedule(after: time) {
                    let end = String(decoding: self.received.suffix(200), as: UTF8.self)
                    Issue.record("gave up waiting; the last bytes: \(end.debugDescription)")
                    self.endWait()
                }
                self.check()
            }
        }
    }

    var unsentBytes: Int { get async { await loop.submit { self.socket?.unsentBytes ?? 0 } } }

    var isClosedByServer: Bool { get async { await loop.submit { self.isOver } } }
}

/// The status codes in the order of the answers.
func statuses(_ text: String) -> [Int] {
    text.components(between: "HTTP/1.1 ", and: " ").compactMap { Int($0) }
}

extension String {
    /// What stands between every pair of marks, in order.
    func components(between start: String, and end: String) -> [String] {
        var found: [String] = []
        var rest = self[...]
        while let from = rest.firstRange(of: start) {
            rest = rest[from.upperBound...]
            guard let to = rest.firstRange(of: end) else { break }
            found.append(String(rest[..<to.lowerBound]))
            rest = rest[to.upperBound...]
        }
        return found
    }

    var body: String {
        firstRange(of: "\r\n\r\n").map { String(self[$0.upperBound...]) } ?? ""
    }

    func times(_ count: Int) -> String { String(repeating: self, count: count) }
}

/// Runs `body` against a server on a loop of its own, and stops both.
func withServer(
    limits: ServerLimits = .standard,
    streamsBody: @escaping @Sendable (Request) -> Bool = { _ in false },
    endsWithClient: @escaping @Sendable (Request) -> Bool = { _ in false },
    admission: Admitter? = nil, trustedProxies: [AddressRange] = [],
    observer: (any RequestObserver)? = nil, handler: @escaping Handler,
    _ body: (EventLoop, Int, HTTP1Server) async throws -> Void
) async throws {
    let serving = EventLoop(name: "server")
    let calling = EventLoop(name: "client")
    let server = HTTP1Server(
        loop: serving, host: "127.0.0.1", port: 0, limits: limits, streamsBody: streamsBody,
        endsWithClient: endsWithClient, admission: admission, trustedProxies: trustedProxies,
        observer: observer, handler: handler)
    let port = try await server.start()
    try await body(calling, port, server)
    await server.drain(within: .milliseconds(200))
    await calling.shutdown()
    await serving.shutdown()
}

/// Answers with what was asked.
let echo: Handler = { request in
    Response(
        status: 200, headers: ["content-type": "text/plain"],
        body: .bytes(Array("\(request.method) \(request.target) ".utf8) + request.body))
}
