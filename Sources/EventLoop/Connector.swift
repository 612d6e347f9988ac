import CUV
import Glibc

/// One attempt to reach a host: looks its name up afresh, then tries the addresses in turn.
// @unchecked: touched on its loop only; the resolver's answer comes back to it.
final class Connector: LoopResource, @unchecked Sendable {
    private let loop: EventLoop
    private let deadlineMillis: UInt64
    private var done: ((Result<Socket, NetworkError>) -> Void)?
    private var addresses: ArraySlice<SocketAddress> = []
    private var handle: UnsafeMutablePointer<uv_tcp_t>?
    private var timer: LoopTimer?

    init(
        _ loop: EventLoop, timeout: Duration,
        _ done: @escaping (Result<Socket, NetworkError>) -> Void
    ) {
        self.loop = loop
        self.done = done
        deadlineMillis = loop.nowMillis + timeout.millisRoundedUp
    }

    func start(host: String, port: Int) {
        loop.resources[ObjectIdentifier(self)] = self
        startTimer(millis: remainingMillis)
        if let address = SocketAddress(numericHost: host, port: port) {
            addresses = [address]
            // Never in the caller's own iteration, so that there is one order of things.
            loop.schedule(after: .zero) { self.tryNext(after: .hostUnknown) }
            return
        }
        // On the host's own account: one that hangs leaves threads for the others.
        NameResolver.ofConnections.resolve(host, for: host) { [self] answer in
            loop.run { self.resolved(answer, port: port) }
        }
    }

    private func resolved(_ answer: NameResolver.Answer, port: Int) {
        switch answer {
        case .success(let hosts):
            addresses = hosts.compactMap { SocketAddress(numericHost: $0, port: port) }[...]
            tryNext(after: .hostUnknown)
        case .failure(let error): finish(.failure(error))
        }
    }

    /// - Parameter error: what to report when no address is left.
    private func tryNext(after error: NetworkError) {
        guard done != nil else { return }
        guard let address = addresses.popFirst() else { return finish(.failure(error)) }
        let handle = Socket.makeHandle(on: loop)
        self.handle = handle
        let request = allocateForLibuv(uv_connect_t.self)
        request.pointee.data = Unmanaged.passRetained(self).toOpaque()
        let code = address.withUnsafe {
            uv_tcp_connect(request, handle, $0) { Connector.connected($0, $1) }
        }
        guard code == 0 else {
            Unmanaged.passUnretained(self).release()
            free(request)
            abandon()
            return tryNext(after: NetworkError(code: code))
        }
        // A fair share of what time is left, so that one dead address cannot use up all of it.
        startTimer(millis: remainingMillis / UInt64(addresses.count + 1))
    }

    private static func connected(_ request: UnsafeMutablePointer<uv_connect_t>?, _ status: Int32) {
        guard let request, let data = request.pointee.data else { return }
        let connector = Unmanaged<Connector>.fromOpaque(data).takeRetainedValue()
        let stream = request.pointee.handle
        free(request)
        // Abandoned meanwhile: a late answer of an address given up.
        guard let handle = connector.handle, handle.cast(to: uv_stream_t.self) == stream else {
            return
        }
        guard status == 0 else {
            connector.abandon()
            return connector.tryNext(after: NetworkError(code: status))
        }
        connector.handle = nil
        let socket = Socket(connector.loop, handle)
        connector.finish(.success(socket))
        socket.startReading()
    }

    private func timedOut() {
        abandon()
        if addresses.isEmpty { finish(.failure(.timedOut)) } else { tryNext(after: .timedOut) }
    }

    func loopWillStop() {
        abandon()
        finish(.failure(.loopStopped))
    }

    private func abandon() {
        guard let handle else { return }
        self.handle = nil
        uv_close(handle.cast(to: uv_handle_t.self)) { free($0) }
    }

    private func finish(_ result: Result<Socket, NetworkError>) {
        timer?.cancel()
        timer = nil
        guard let done else { return }
        self.done = nil
        loop.resources[ObjectIdentifier(self)] = nil
        done(result)
    }

    private var remainingMillis: UInt64 {
        let now = loop.nowMillis
        return deadlineMillis > now ? deadlineMillis - now : 0
    }

    private func startTimer(millis: UInt64) {
        timer?.cancel()
        timer = loop.schedule(after: .milliseconds(Int64(clamping: millis))) { self.timedOut() }
    }
}

extension EventLoop {
    /// Opens a TCP connection; `done` is called once, in a later iteration. The name is looked up
    /// again every time and all its addresses are tried. Reading starts when `done` returns. On the
    /// loop only.
    public func connect(
        host: String, port: Int, timeout: Duration,
        _ done: @escaping (Result<Socket, NetworkError>) -> Void
    ) {
        checkIsolated()
        Connector(self, timeout: timeout, done).start(host: host, port: port)
    }
}
