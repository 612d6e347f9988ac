import CUV
import Glibc

/// A listening socket, of TCP or of a path. Loop-bound.
///
/// It accepts by itself instead of by libuv, which without a descriptor to spare closes what waits,
/// and can be caught in a loop that it does not leave before there is one.
public final class Listener {
    /// The port bound, which differs from the one asked for when that was 0.
    public let port: Int
    private let loop: EventLoop
    /// -1 once closed.
    private var descriptor: Int32
    private let socketFile: SocketFile?
    private var watch: DescriptorWatch?
    private var retryTimer: LoopTimer?
    private var calmTimer: LoopTimer?
    private var onAccept: ((Socket) -> Void)?
    /// Called once when descriptors run out, and once when there are some again.
    public var onShortage: ((_ isShort: Bool) -> Void)?
    private var isShort = false

    init(
        _ loop: EventLoop, _ address: SocketAddress, socketFile: SocketFile? = nil,
        onAccept: @escaping (Socket) -> Void
    ) throws(NetworkError) {
        try socketFile?.makeRoom(for: address)
        let descriptor = try Self.bind(address, socketFile)
        self.loop = loop
        self.socketFile = socketFile
        self.descriptor = descriptor
        self.onAccept = onAccept
        port = Self.port(of: descriptor)
        watch = try loop.watch(fileDescriptor: descriptor) { [self] _, _ in acceptWaiting() }
        watch?.interest(readable: true, writable: false)
    }

    deinit {
        if descriptor >= 0 { Glibc.close(descriptor) }
    }

    private static func bind(
        _ address: SocketAddress, _ socketFile: SocketFile?
    ) throws(NetworkError) -> Int32 {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(address.family, kind, 0)
        guard descriptor >= 0 else { throw NetworkError(code: -errno) }
        let (isOn, isOff): (Int32, Int32) = (1, 0)
        let size = socklen_t(MemoryLayout<Int32>.size)
        func set(_ level: Int32, _ option: Int32, _ value: Int32) -> Bool {
            withUnsafePointer(to: value) { setsockopt(descriptor, level, option, $0, size) == 0 }
        }
        let isListening =
            set(SOL_SOCKET, SO_REUSEADDR, isOn)
            && (address.family != AF_INET6
                || set(Int32(IPPROTO_IPV6), IPV6_V6ONLY, isOff))
            && address.withUnsafe { Glibc.bind(descriptor, $0, address.byteCount) } == 0
            // Nobody gets in before the next line.
            && (socketFile?.setMode() ?? true)
            && Glibc.listen(descriptor, Limits.listenBacklog) == 0
        guard isListening else {
            let error = NetworkError(code: -errno)
            Glibc.close(descriptor)
            throw error
        }
        return descriptor
    }

    private static func port(of descriptor: Int32) -> Int {
        var storage = sockaddr_storage()
        var byteCount = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { storage in
            let address = storage.cast(to: sockaddr.self)
            guard getsockname(descriptor, address, &byteCount) == 0 else { return 0 }
            return SocketAddress(address, byteCount: Int(byteCount)).port
        }
    }

    /// Accepts no more; connections already accepted live on.
    public func close() {
        loop.checkIsolated()
        onAccept = nil
        onShortage = nil
        retryTimer?.cancel()
        calmTimer?.cancel()
        guard let watch else { return }
        self.watch = nil
        watch.cancel()
        socketFile?.remove()
        Glibc.close(descriptor)
        descriptor = -1
    }

    /// Takes in who has connected already, whom closing would reset, and then accepts no more.
    public func acceptAllThenClose() {
        loop.checkIsolated()
        // Somebody connects again and again; there is an end anyway.
        for _ in 0..<Limits.listenBacklog {
            guard let onAccept else { break }
            let client = cuv_accept(descriptor)
            guard client >= 0, let handle = Socket.adopt(client, on: loop) else { break }
            handOver(handle, onAccept)
        }
        close()
    }

    private func acceptWaiting() {
        for _ in 0..<Limits.acceptsPerIterationMax {
            guard let onAccept else { return }
            let client = cuv_accept(descriptor)
            guard client >= 0 else { return refused(errno) }
            guard let handle = Socket.adopt(client, on: loop) else { return pause() }
            handOver(handle, onAccept)
        }
    }

    private func handOver(
        _ handle: UnsafeMutablePointer<uv_tcp_t>, _ onAccept: (Socket) -> Void
    ) {
        let socket = Socket(loop, handle)
        socket.isLocal = socketFile != nil
        onAccept(socket)
        socket.startReading()
    }

    private func refused(_ code: Int32) {
        switch code {
        case EMFILE, ENFILE, ENOBUFS, ENOMEM: pause()
        case EAGAIN: calmDown()
        // A connection that died in the backlog; what else waits is reported once more.
        default: break
        }
    }

    private func pause() {
        calmTimer?.cancel()
        calmTimer = nil
        watch?.interest(readable: false, writable: false)
        retryTimer?.cancel()
        retryTimer = loop.schedule(after: .milliseconds(Limits.acceptRetryMillis)) { [weak self] in
            self?.watch?.interest(readable: true, writable: false)
        }
        guard !isShort else { return }
        isShort = true
        onShortage?(true)
    }

    /// Everybody who waited is in. The shortage is over when it stays so for a moment.
    private func calmDown() {
        guard isShort, calmTimer == nil else { return }
        calmTimer = loop.schedule(after: .milliseconds(Limits.calmMillis)) { [weak self] in
            guard let self else { return }
            calmTimer = nil
            isShort = false
            onShortage?(false)
        }
    }
}

extension EventLoop {
    /// Listens on one address. A host name is looked up with the loop standing still; give digits
    /// where that matters. Reading starts when `onAccept` returns. On the loop only.
    /// - Parameters:
    ///   - host: also `unix:` and the path of a Unix-domain socket, which has no port.
    ///   - port: 0 takes any free port.
    ///   - socketMode: permissions of the socket's file.
    public func listen(
        host: String, port: Int, socketMode: UInt32 = SocketFile.standardMode,
        onAccept: @escaping (Socket) -> Void
    ) throws(NetworkError) -> Listener {
        checkIsolated()
        if let path = SocketFile.path(of: host) {
            guard let address = SocketAddress(unixPath: path) else { throw .socketPathUnusable }
            let file = SocketFile(path: path, mode: socketMode)
            return try Listener(self, address, socketFile: file, onAccept: onAccept)
        }
        if let address = SocketAddress(numericHost: host, port: port) {
            return try Listener(self, address, onAccept: onAccept)
        }
        let first = try NameResolver.systemLookup(host).get().first
        guard let address = first.flatMap({ SocketAddress(numericHost: $0, port: port) }) else {
            throw .hostUnknown
        }
        return try Listener(self, address, onAccept: onAccept)
    }
}
