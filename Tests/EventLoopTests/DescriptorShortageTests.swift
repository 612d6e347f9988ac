import EventLoop
import Glibc
import TestSupport
import Testing

/// Runs `body` when this process can open no descriptor more; `free` gives some back. Nothing runs
/// beside it in a suite whose tests come one after the other.
private func withoutDescriptors(
    _ body: (_ free: (_ count: Int) -> Void) async throws -> Void
) async throws {
    // The first sleep of a process opens descriptors, and ends it if there are none.
    try await Task.sleep(for: .milliseconds(1))
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var usual = rlimit()
    getrlimit(resource, &usual)
    // The lowest free number may lie below others that are taken, so the gaps are filled too.
    let next = open("/dev/null", O_RDONLY)
    close(next)
    var short = usual
    short.rlim_cur = min(usual.rlim_cur, rlim_t(next) + 64)
    setrlimit(resource, &short)
    var taken: [Int32] = []
    while case let descriptor = open("/dev/null", O_RDONLY), descriptor >= 0 {
        taken.append(descriptor)
    }
    let free = { (count: Int) in
        for descriptor in taken.suffix(count) { close(descriptor) }
        taken.removeLast(min(count, taken.count))
    }
    defer {
        free(taken.count)
        setrlimit(resource, &usual)
    }
    try #require(taken.count > 20)
    try await body(free)
}

private func cpuSeconds() -> Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

@Suite(.serialized, .timeLimit(.minutes(2))) struct DescriptorShortageTests {
    @Test func `watching, listening, connecting and starting a program fail as errors`()
        async throws
    {
        let loop = EventLoop(name: "short")
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let reader = ends[0]
        try await withoutDescriptors { _ in
            await #expect(throws: NetworkError.tooManyDescriptors) {
                try await loop.submit { () throws(NetworkError) in
                    _ = try loop.watch(fileDescriptor: reader) { _, _ in }
                }
            }
            await #expect(throws: NetworkError.tooManyDescriptors) {
                try await loop.submit { () throws(NetworkError) in
                    _ = try loop.listen(host: "127.0.0.1", port: 0) { _ in }
                }
            }
            let failure = await withCheckedContinuation { continuation in
                loop.run {
                    loop.connect(host: "127.0.0.1", port: 9, timeout: .seconds(5)) { result in
                        guard case .failure(let error) = result else { return }
                        continuation.resume(returning: error)
                    }
                }
            }
            #expect(failure == .tooManyDescriptors)
            await #expect(throws: NetworkError.tooManyDescriptors) {
                try await ChildProcess.start("/bin/true", [], on: loop)
            }
        }
        try await loop.submit { () throws(NetworkError) in
            try loop.watch(fileDescriptor: reader) { _, _ in }.cancel()
        }
        await loop.shutdown()
    }

    @Test func `a listener waits without work and goes on when there are descriptors again`()
        async throws
    {
        let loop = EventLoop(name: "listen")
        let accepted = Lock(0)
        let told = Lock<[Bool]>([])
        let port = try await loop.submit { () throws(NetworkError) in
            let listener = try loop.listen(host: "127.0.0.1", port: 0) { _ in
                accepted.withLock { $0 += 1 }
            }
            listener.onShortage = { isShort in told.withLock { $0.append(isShort) } }
            return listener.port
        }
        let clients = (0..<5).map { _ in socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) }
        defer { for client in clients { close(client) } }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        try await withoutDescriptors { free in
            for client in clients {
                let code = withUnsafePointer(to: &address) {
                    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                    }
                }
                #expect(code == 0)
            }
            let before = cpuSeconds()
            try await Task.sleep(for: .seconds(1))
            #expect(accepted.withLock { $0 } == 0)
            #expect(told.withLock { $0 } == [true])
            #expect(cpuSeconds() - before < 0.3)
            free(20)
            try await waitUntil { accepted.withLock { $0 } == 5 }
            try await waitUntil { told.withLock { $0 } == [true, false] }
        }
        await loop.shutdown()
    }
}
