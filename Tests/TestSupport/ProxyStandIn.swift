public import EventLoop
import Foundation

/// A proxy that opens tunnels by `CONNECT`, or refuses to; its tunnels can be made to go dead, and
/// to lead elsewhere than asked for.
///
/// `@unchecked Sendable`: touched only on its loop's thread, except `log`, which is a `Lock`.
public final class ProxyStandIn: @unchecked Sendable {
    public struct Seen: Sendable {
        /// Request heads as they came.
        public var heads: [String] = []
        public var tunnels = 0
    }

    public let seen = Lock(Seen())
    private let loop: EventLoop
    private let status: Int
    private var ends: [Socket] = []
    /// Where tunnels lead instead of where they are asked to.
    private var detour: Int?

    /// - Parameter status: the answer to every request.
    public init(_ loop: EventLoop, status: Int = 200) {
        self.loop = loop
        self.status = status
    }

    /// - Returns: the port.
    public func start(port: Int = 0) async throws -> Int {
        try await loop.submit { () throws(NetworkError) in
            try self.loop.listen(host: "127.0.0.1", port: port) { self.accept($0) }.port
        }
    }

    /// All tunnels stay open and nothing comes through any more: a cable pulled out.
    public func freeze() async {
        await loop.submit {
            for end in self.ends { end.onBytes = { _ in } }
        }
    }

    /// Later tunnels lead to this port.
    public func lead(to port: Int) async {
        await loop.submit { self.detour = port }
    }

    /// Cuts all tunnels; later ones lead to this port.
    public func move(to port: Int) async {
        await lead(to: port)
        await loop.submit {
            for end in self.ends { end.close() }
            self.ends = []
        }
    }

    private func accept(_ client: Socket) {
        var head: [UInt8] = []
        client.onBytes = { bytes in
            head += bytes
            let text = String(decoding: head, as: UTF8.self)
            guard text.hasSuffix("\r\n\r\n") else { return }
            self.seen.withLock { $0.heads.append(text) }
            guard self.status == 200 else {
                client.write(
                    Array("HTTP/1.1 \(self.status) No\r\ncontent-length: 4\r\n\r\nnope".utf8))
                return
            }
            self.connect(client, target: String(text.split(separator: " ")[1]))
        }
        client.onClose = { _ in client.close() }
    }

    private func connect(_ client: Socket, target: String) {
        guard let port = detour ?? Int(target.split(separator: ":")[1]) else { return }
        loop.connect(host: "127.0.0.1", port: port, timeout: .seconds(2)) { result in
            guard case .success(let server) = result else { return client.close() }
            self.seen.withLock { $0.tunnels += 1 }
            self.ends += [client, server]
            for (from, to) in [(client, server), (server, client)] {
                from.onBytes = { to.write(Array($0)) }
                from.onClose = { _ in
                    from.close()
                    to.close()
                }
            }
            client.write(Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8))
        }
    }
}
