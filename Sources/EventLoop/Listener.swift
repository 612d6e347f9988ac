import CUV
import Glibc

/// A listening TCP socket. Loop-bound.
public final class Listener: LoopResource {
    /// The port bound, which differs from the one asked for when that was 0.
    public let port: Int
    private let loop: EventLoop
    private var handle: UnsafeMutablePointer<uv_tcp_t>?
    private var onAccept: ((Socket) -> Void)?

    init(
        _ loop: EventLoop, _ address: SocketAddress, onAccept: @escaping (Socket) -> Void
    ) throws(NetworkError) {
        let handle = allocateForLibuv(uv_tcp_t.self)
        uv_tcp_init(loop.uv, handle)
        var code = address.withUnsafe { uv_tcp_bind(handle, $0, 0) }
        if code == 0 {
            code = uv_listen(handle.cast(to: uv_stream_t.self), Limits.listenBacklog) {
                owner(Listener.self, $0?.pointee.data)?.accept(status: $1)
            }
        }
        var bound = sockaddr_storage()
        var byteCount = Int32(MemoryLayout<sockaddr_storage>.size)
        if code == 0 {
            code = withUnsafeMutablePointer(to: &bound) {
                uv_tcp_getsockname(handle, $0.cast(to: sockaddr.self), &byteCount)
            }
        }
        guard code == 0 else {
            uv_close(handle.cast(to: uv_handle_t.self)) { free($0) }
            throw NetworkError(code: code)
        }
        port = withUnsafeMutablePointer(to: &bound) {
            SocketAddress($0.cast(to: sockaddr.self), byteCount: Int(byteCount)).port
        }
        self.loop = loop
        self.handle = handle
        self.onAccept = onAccept
        loop.keep(self, for: handle)
    }

    /// Accepts no more; connections already accepted live on.
    public func close() {
        loop.checkIsolated()
        guard let handle else { return }
        self.handle = nil
        onAccept = nil
        loop.release(self, handle)
    }

    func loopWillStop() { close() }

    private func accept(status: Int32) {
        // A connection that died in the backlog, or no descriptor left: the next event retries.
        guard status == 0, let handle else { return }
        let client = Socket.makeHandle(on: loop)
        let stream = client.cast(to: uv_stream_t.self)
        guard uv_accept(handle.cast(to: uv_stream_t.self), stream) == 0 else {
            uv_close(client.cast(to: uv_handle_t.self)) { free($0) }
            return
        }
        let socket = Socket(loop, client)
        onAccept?(socket)
        socket.startReading()
    }
}

extension EventLoop {
    /// Listens on one address. A host name is looked up with the loop standing still; give digits
    /// where that matters. Reading starts when `onAccept` returns. On the loop only.
    /// - Parameter port: 0 takes any free port.
    public func listen(
        host: String, port: Int, onAccept: @escaping (Socket) -> Void
    ) throws(NetworkError) -> Listener {
        checkIsolated()
        if let address = SocketAddress(numericHost: host, port: port) {
            return try Listener(self, address, onAccept: onAccept)
        }
        var request = uv_getaddrinfo_t()
        var hints = SocketAddress.streamHints
        let code = uv_getaddrinfo(uv, &request, nil, host, String(port), &hints)
        guard code == 0 else { throw NetworkError(code: code) }
        defer { uv_freeaddrinfo(request.addrinfo) }
        guard let address = SocketAddress.all(in: request.addrinfo).first else {
            throw .hostUnknown
        }
        return try Listener(self, address, onAccept: onAccept)
    }
}
