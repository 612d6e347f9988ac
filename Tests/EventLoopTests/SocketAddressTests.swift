import Glibc
import Testing

@testable import EventLoop

struct `An address of a socket` {
    @Test(arguments: [
        ("127.0.0.1", 80, "127.0.0.1"), ("0.0.0.0", 0, "0.0.0.0"), ("::1", 65_535, "::1"),
        ("0:0:0:0:0:0:0:1", 1, "::1"), ("2001:DB8::A", 443, "2001:db8::a"),
    ])
    func `is taken in digits, and shown in the usual ones`(
        given: String, port: Int, shown: String
    ) throws {
        let address = try #require(SocketAddress(numericHost: given, port: port))
        #expect(address.host == shown)
        #expect(address.port == port)
        #expect(address.family == (shown.contains(":") ? AF_INET6 : AF_INET))
    }

    @Test(arguments: [
        ("localhost", 80), ("", 80), ("1.2.3", 80), ("256.0.0.1", 80), ("127.0.0.1:80", 80),
        (" 127.0.0.1", 80), ("[::1]", 80), ("127.0.0.1", -1), ("127.0.0.1", 65_536),
        ("::1", Int.max),
    ])
    func `is no name, and has no port that there is not`(given: String, port: Int) {
        #expect(SocketAddress(numericHost: given, port: port) == nil)
    }

    @Test func `is a path of as many bytes as the kernel takes`() throws {
        let longest = String(repeating: "a", count: SocketFile.pathBytesMax)
        let address = try #require(SocketAddress(unixPath: longest))
        #expect(address.family == AF_UNIX)
        #expect(address.port == 0)
        #expect(Int(address.byteCount) == MemoryLayout<sockaddr_un>.size)
        // Bytes count, and not letters.
        let accents = String(repeating: "é", count: SocketFile.pathBytesMax / 2 + 1)
        for path in [longest + "a", accents, "", "a\0b"] {
            #expect(SocketAddress(unixPath: path) == nil)
        }
    }

    @Test(
        arguments: [
            ("unix:/run/islet.sock", "/run/islet.sock"), ("unix:", ""), ("unix:unix:a", "unix:a"),
            ("/run/islet.sock", nil), ("127.0.0.1", nil), ("UNIX:/run", nil),
        ] as [(String, String?)])
    func `is a path only where the host says so`(host: String, path: String?) {
        #expect(SocketFile.path(of: host) == path)
    }
}

struct `Why a socket could not be opened` {
    @Test(
        arguments: [
            (EADDRINUSE, .addressInUse), (EADDRNOTAVAIL, .addressNotAvailable),
            (EACCES, .permissionDenied), (EPERM, .permissionDenied), (ECONNREFUSED, .refused),
            (EHOSTUNREACH, .unreachable), (ENETUNREACH, .unreachable), (ENETDOWN, .unreachable),
            (ETIMEDOUT, .timedOut), (ECONNRESET, .reset), (EPIPE, .reset), (ECONNABORTED, .reset),
            (EMFILE, .tooManyDescriptors), (ENFILE, .tooManyDescriptors),
            (ECANCELED, .loopStopped), (ENOSPC, .system(code: -ENOSPC)),
        ] as [(Int32, NetworkError)])
    func `is known by the system's code`(code: Int32, error: NetworkError) {
        #expect(NetworkError(code: -code) == error)
    }

    @Test func `reads otherwise for each reason, and in the system's words for a rare one`() {
        let errors: [NetworkError] = [
            .addressInUse, .addressNotAvailable, .socketFileInUse, .socketPathTaken,
            .socketPathUnusable, .permissionDenied, .hostUnknown, .resolverBusy, .refused,
            .unreachable, .timedOut, .reset, .tooManyDescriptors, .loopStopped,
            .system(code: -ENOSPC), .system(code: -ELOOP),
        ]
        #expect(Set(errors.map(\.description)).count == errors.count)
        #expect("\(NetworkError.system(code: -ENOSPC))" == "no space left on device")
        #expect("\(NetworkError.refused)" == "connection refused")
        #expect(SystemError.text(ENOENT) == "No such file or directory")
    }
}

struct `A wait in whole milliseconds` {
    @Test(
        arguments: [
            (.zero, 0), (.seconds(-1), 0), (.nanoseconds(1), 2), (.milliseconds(1), 2),
            (.microseconds(1_500), 3), (.seconds(1), 1_001),
            (.seconds(Int64.max), UInt64(Int64.max)),
        ] as [(Duration, UInt64)])
    func `is never shorter than asked for, and never overflows`(
        asked: Duration, millis: UInt64
    ) {
        #expect(asked.millisRoundedUp == millis)
    }
}
