public import EventLoop

/// Sends requests over plain HTTP/1.1, each on a connection of its own: for tools that talk to a
/// server nearby.
public struct HTTP1Client: Sendable {
    private let loop: EventLoop
    private let host: String
    private let port: Int

    public init(loop: EventLoop, host: String, port: Int) {
        self.loop = loop
        self.host = host
        self.port = port
    }

    /// - Parameters:
    ///   - request: its host, connection and content-length are added.
    ///   - deadline: from the call to the last byte of the answer.
    /// - Returns: the answer with its whole body.
    /// - Throws: `cannotConnect`, `connectionClosed`, `deadlineExceeded`, `protocolViolation` or
    ///   `tooLarge`.
    public func send(
        _ request: Request, deadline: Duration = .seconds(10)
    ) async throws(HTTPError) -> Response {
        let bytes = try Self.bytes(of: request, host: "\(host):\(port)")
        let (loop, host, port) = (loop, host, port)
        let isHead = request.method == "HEAD"
        let result: Result<Response, HTTPError> = await withCheckedContinuation { continuation in
            loop.run {
                let exchange = HTTP1Exchange(loop, bytes, isHead: isHead) {
                    continuation.resume(returning: $0)
                }
                exchange.begin(host: host, port: port, deadline: deadline)
            }
        }
        return try result.get()
    }

    private static func bytes(
        of request: Request, host: String
    ) throws(HTTPError) -> [UInt8] {
        var head = "\(request.method) \(request.target) HTTP/1.1\r\nhost: \(host)\r\n"
        head += "connection: close\r\ncontent-length: \(request.body.count)\r\n"
        for field in request.headers.fields { head += "\(field.name): \(field.value)\r\n" }
        let lines = 4 + request.headers.fields.count
        guard head.utf8.count(where: { $0 == 10 || $0 == 13 }) == 2 * lines else {
            throw .protocolViolation("a target or header holds a line break")
        }
        return Array((head + "\r\n").utf8) + request.body
    }
}

/// One request and its answer on one connection. On the loop only; kept alive by its timer and
/// socket until it is over.
private final class HTTP1Exchange {
    private let loop: EventLoop
    private let request: [UInt8]
    private let parser: ResponseParser
    private var finish: ((Result<Response, HTTPError>) -> Void)?
    private var socket: Socket?
    private var timer: LoopTimer?

    init(
        _ loop: EventLoop, _ request: [UInt8], isHead: Bool,
        _ finish: @escaping (Result<Response, HTTPError>) -> Void
    ) {
        self.loop = loop
        self.request = request
        self.finish = finish
        parser = ResponseParser(bodyBytesMax: Limits.responseBodyBytesMax, isHead: isHead)
    }

    func begin(host: String, port: Int, deadline: Duration) {
        timer = loop.schedule(after: deadline) { self.end(.failure(.deadlineExceeded)) }
        loop.connect(host: host, port: port, timeout: deadline) { result in
            switch result {
            case .success(let socket): self.talk(over: socket)
            case .failure(let error): self.end(.failure(.cannotConnect("\(error)")))
            }
        }
    }

    private func talk(over socket: Socket) {
        guard finish != nil else { return socket.close() }
        self.socket = socket
        socket.onBytes = { self.take(self.parser.feed($0)) }
        socket.onClose = { error in
            if error == nil { self.take(self.parser.end()) }
            self.end(.failure(.connectionClosed))
        }
        socket.write(request)
    }

    private func take(_ step: ResponseParser.Step) {
        switch step {
        case .more: break
        case .done: end(.success(parser.response()))
        case .failed(let error): end(.failure(error))
        }
    }

    /// The first end counts.
    private func end(_ result: Result<Response, HTTPError>) {
        guard let finish else { return }
        self.finish = nil
        timer?.cancel()
        timer = nil
        socket?.onBytes = nil
        socket?.onClose = nil
        socket?.close()
        socket = nil
        finish(result)
    }
}
