import CUV
import Glibc

/// A program run as a child of this one. It inherits no descriptors but its three streams.
// @unchecked: `pid` is immutable, `state` is a Lock, `handle` is touched on the loop only.
public final class ChildProcess: LoopResource, @unchecked Sendable {
    public enum Ending: Hashable, Sendable {
        case exited(code: Int32)
        case killed(signal: Int32)
    }

    private struct State {
        var ending: Ending?
        var waiters: [CheckedContinuation<Ending, Never>] = []
    }

    /// 0 until it was started.
    public private(set) var pid: Int32 = 0
    private let loop: EventLoop
    private let state = Lock(State())
    private var handle: UnsafeMutablePointer<uv_process_t>?

    /// Starts a program with this program's environment.
    ///
    /// - Parameters:
    ///   - path: of the program; not searched for.
    ///   - output: file that standard output is appended to; nil for nowhere.
    ///   - errors: likewise for standard error.
    public static func start(
        _ path: String, _ arguments: [String], output: String? = nil, errors: String? = nil,
        on loop: EventLoop
    ) async throws(NetworkError) -> ChildProcess {
        try await loop.submit { () throws(NetworkError) in
            let child = ChildProcess(loop)
            try child.spawn([path] + arguments, output ?? "/dev/null", errors ?? "/dev/null")
            return child
        }
    }

    private init(_ loop: EventLoop) {
        self.loop = loop
    }

    /// Waits for the end, however often it is asked.
    public func ending() async -> Ending {
        await withCheckedContinuation { continuation in
            let ending = state.withLock { state in
                if state.ending == nil { state.waiters.append(continuation) }
                return state.ending
            }
            if let ending { continuation.resume(returning: ending) }
        }
    }

    /// Harmless once the program has ended.
    public func send(signal: Int32) async {
        await loop.submit { [self] in
            if let handle { uv_process_kill(handle, signal) }
        }
    }

    func loopWillStop() {
        finish(.killed(signal: 0))
    }

    private func spawn(
        _ words: [String], _ output: String, _ errors: String
    ) throws(NetworkError) {
        let descriptors = [
            open("/dev/null", O_RDONLY | O_CLOEXEC),
            open(output, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0o600),
            open(errors, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0o600),
        ]
        defer { for descriptor in descriptors where descriptor >= 0 { close(descriptor) } }
        guard descriptors.allSatisfy({ $0 >= 0 }) else { throw NetworkError(code: -errno) }
        var streams = descriptors.map { descriptor in
            var stream = uv_stdio_container_t()
            stream.flags = UV_INHERIT_FD
            stream.data.fd = descriptor
            return stream
        }
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        let handle = allocateForLibuv(uv_process_t.self)
        let code = streams.withUnsafeMutableBufferPointer { streams in
            arguments.withUnsafeMutableBufferPointer { arguments in
                var options = uv_process_options_t()
                options.exit_cb = { handle, code, signal in
                    owner(ChildProcess.self, handle?.pointee.data)?.finish(
                        signal == 0 ? .exited(code: Int32(code)) : .killed(signal: signal))
                }
                options.file = UnsafePointer(arguments[0])
                options.args = arguments.baseAddress
                options.stdio_count = Int32(streams.count)
                options.stdio = streams.baseAddress
                return uv_spawn(loop.uv, handle, &options)
            }
        }
        self.handle = handle
        loop.keep(self, for: handle)
        guard code == 0 else {
            self.handle = nil
            loop.release(self, handle)
            throw NetworkError(code: code)
        }
        pid = uv_process_get_pid(handle)
    }

    private func finish(_ ending: Ending) {
        guard let handle else { return }
        self.handle = nil
        loop.release(self, handle)
        let waiters = state.withLock { state in
            state.ending = ending
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume(returning: ending) }
    }
}

extension ChildProcess.Ending: CustomStringConvertible {
    /// Behind the program's name, or "it".
    public var description: String {
        switch self {
        case .exited(let code): "ended with code \(code)"
        case .killed(let signal): "was killed by signal \(signal)"
        }
    }
}
