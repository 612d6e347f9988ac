import EventLoop
import Foundation
import ProjectFiles
import Testing
import TestSupport
import TLS

@testable import HTTP

/// A server for clients over TLS, with a certificate of its own.
struct SecureServer {
    let port: Int
    let identity: ServerIdentity
    let folder: TemporaryFolder
    let server: HTTP1Server

    static func with(
        limits: ServerLimits = .standard,
        rejection: @escaping @Sendable (Rejection, Request) -> Response = Rejection.problem,
        streamsBody: @escaping @Sendable (Request) -> Bool = { _ in false },
        admission: Admitter? = nil, trustedProxies: [AddressRange] = [],
        observer: (any RequestObserver)? = nil, handler: @escaping Handler,
        _ body: (SecureServer) async throws -> Void
    ) async throws {
        let loop = EventLoop(name: "tls-test")
        let authority = try SelfSignedAuthority.make(hosts: ["localhost", "127.0.0.1"])
        let folder = try TemporaryFolder()
        try folder.write(authority.authorityPEM, "authority.pem")
        let identity = ServerIdentity(try context(authority))
        let server = HTTP1Server(
            loop: loop, host: "127.0.0.1", port: 0, identity: identity, limits: limits,
            rejection: rejection, streamsBody: streamsBody, admission: admission,
            trustedProxies: trustedProxies, observer: observer, handler: handler)
        let port = try await server.start()
        try await body(
            SecureServer(port: port, identity: identity, folder: folder, server: server))
        await server.drain(within: .milliseconds(500))
        await loop.shutdown()
    }

    static func context(_ authority: SelfSignedAuthority) throws -> TLSContext {
        try TLSContext.server(
            certificateChainPEM: authority.certificatePEM,
            privateKeyPEM: authority.privateKeyPEM, alpn: ["h2", "http/1.1"],
            refusesOthers: false)
    }

    func curl(_ arguments: [String], path: String = "/a") async throws -> String {
        try await Tool.run(
            "curl",
            arguments: [
                "--silent", "--show-error", "--max-time", "20", "--cacert",
                folder.path("authority.pem"),
            ] + arguments + ["https://localhost:\(port)\(path)"])
    }

    /// Runs `Flooder.py` against the server.
    func flood(_ kind: String) async throws -> String {
        let script = ProjectFiles.url("Tests/HTTPTests/HTTP2/Flooder.py").path
        return try await Tool.run("python3", arguments: ["-B", script, "\(port)", kind])
    }
}

private let versions = ["--http1.1": "HTTP/1.1", "--http2": "HTTP/2"]
private let version = ["--write-out", " HTTP/%{http_version} %{http_code}"]

@Suite(.timeLimit(.minutes(2)))
struct `A server with a certificate` {
    @Test(arguments: ["--http1.1", "--http2"])
    func `answers what the client agreed on, and knows that it is secure`(
        flag: String
    ) async throws {
        let handler: Handler = { request in
            #expect(request.isSecure)
            #expect(request.headers["host"]?.hasPrefix("localhost:") == true)
            return await echo(request)
        }
        try await SecureServer.with(handler: handler) { server in
            let spoken = try #require(versions[flag])
            try server.folder.write(String(repeating: "x", count: 300_000), "body")
            let small = try await server.curl([flag] + version, path: "/a%2Fb?c=%41")
            #expect(small == "GET /a%2Fb?c=%41  \(spoken) 200")
            let large = try await server.curl(
                [flag, "--data-binary", "@" + server.folder.path("body")] + version)
            #expect(large.hasPrefix("POST /a xxx") && large.hasSuffix("x \(spoken) 200"))
            #expect(large.count > 300_000)
            let head = try await server.curl([flag, "--head"])
            #expect(head.lowercased().contains("content-length: 8"))
            #expect(head.lowercased().contains("date: "))
        }
    }

    @Test func `speaks TLS 1.2 and 1.3 and nothing older`() async throws {
        try await SecureServer.with(handler: echo) { server in
            for tls in ["--tls-max 1.2", "--tlsv1.3"] {
                let answer = try await server.curl(tls.split(separator: " ").map(String.init))
                #expect(answer == "GET /a ")
            }
            await #expect(throws: Tool.Failure.self) {
                _ = try await server.curl(["--tls-max", "1.1"])
            }
            let said = try await Tool.run(
                "sh", "-c",
                "openssl s_client -connect 127.0.0.1:\(server.port) -alpn h2,http/1.1 "
                    + "</dev/null 2>&1")
            #expect(said.contains("ALPN protocol: h2"))
            #expect(said.contains("TLSv1.3"))
        }
    }

    @Test func `serves h2load and nghttp`() async throws {
        try await SecureServer.with(handler: echo) { server in
            let output = try await Tool.run(
                "h2load", "-n", "3000", "-c", "5", "-m", "100", "https://127.0.0.1:\(server.port)/")
            #expect(output.contains("3000 succeeded, 0 failed, 0 errored"))
            let one = try await Tool.run(
                "h2load", "--h1", "-n", "1000", "-c", "5", "https://127.0.0.1:\(server.port)/")
            #expect(one.contains("1000 succeeded, 0 failed, 0 errored"))
            let page = try await Tool.run(
                "nghttp", "--no-verify-peer", "https://127.0.0.1:\(server.port)/x")
            #expect(page == "GET /x ")
        }
    }

    @Test func `shows new clients another certificate, while the others stay`() async throws {
        try await SecureServer.with(handler: echo) { server in
            async let load = Tool.run(
                "h2load", "-D", "3", "-c", "4", "-m", "10", "https://127.0.0.1:\(server.port)/")
            let other = try SelfSignedAuthority.make(hosts: ["localhost"])
            let present = server.identity.value
            for round in 0..<20 {
                let next = round % 2 == 0 ? try SecureServer.context(other) : present
                server.identity.withLock { $0 = next }
                try await Task.sleep(for: .milliseconds(100))
            }
            let last = try SecureServer.context(other)
            server.identity.withLock { $0 = last }
            let output = try await load
            #expect(output.contains(" 0 failed, 0 errored"))
            await #expect(throws: Tool.Failure.self) { _ = try await server.curl([]) }
            try server.folder.write(other.authorityPEM, "authority.pem")
            #expect(try await server.curl([]) == "GET /a ")
        }
    }

    @Test(arguments: ["--http1.1", "--http2"])
    func `asks whose a body is before it takes it, and how much`(flag: String) async throws {
        let door: Admitter = { request in
            guard let who = request.headers["x-who"] else {
                return .refused(Response(status: 401, body: .bytes(Array("who?".utf8))))
            }
            await Task.yield()
            return .admitted(
                .init(
                    bodyBytesMax: 50_000, owners: [BodyOwner(who, bytesMax: 60_000)],
                    caller: NamedCaller(who)))
        }
        let greet: Handler = { request in
            let who = (request.caller as? NamedCaller)?.name ?? "nobody"
            return Response(status: 200, body: .bytes(Array("\(who) \(request.body.count)".utf8)))
        }
        try await SecureServer.with(admission: door, handler: greet) { server in
            for (count, name) in [(40_000, "some"), (60_000, "much")] {
                try server.folder.write(String(repeating: "x", count: count), name)
            }
            func post(_ file: String, _ more: [String] = []) async throws -> String {
                try await server.curl(
                    [flag, "--data-binary", "@" + server.folder.path(file)] + more
                        + ["--write-out", " %{http_code}"])
            }
            #expect(try await post("some") == "who? 401")
            #expect(try await post("some", ["--header", "X-Who: ann"]) == "ann 40000 200")
            let long = try await post("much", ["--header", "X-Who: ann"])
            #expect(long.hasSuffix(" 413"), "\(long)")
            #expect(long.contains("50000 bytes"))
        }
    }

    @Test(arguments: ["--http1.1", "--http2"])
    func `hands over a long body as it comes, and keeps little of it`(flag: String) async throws {
        let count: Handler = { request in
            guard let stream = request.bodyStream else { return Response(status: 500) }
            var (bytes, largest) = (0, 0)
            do {
                while let piece = try await stream.next() {
                    bytes += piece.count
                    largest = max(largest, piece.count)
                    if bytes < 2_000_000 { try? await Task.sleep(for: .milliseconds(1)) }
                }
            } catch { return Response(status: 400) }
            #expect(largest <= 400_000)
            return Response(status: 200, body: .bytes(Array("\(bytes)".utf8)))
        }
        try await SecureServer.with(streamsBody: { _ in true }, handler: count) { server in
            try server.folder.write(String(repeating: "x", count: 8_000_000), "body")
            let answer = try await server.curl(
                [flag, "--data-binary", "@" + server.folder.path("body")] + version)
            #expect(answer.hasPrefix("8000000 HTTP/"), "\(answer)")
        }
    }

    @Test(arguments: ["--http1.1", "--http2"])
    func `ends event streams with their last message when it stops`(flag: String) async throws {
        let handler: Handler = { _ in
            let (chunks, chunk) = AsyncStream.makeStream(of: [UInt8].self)
            chunk.yield(Array("data: one\n\n".utf8))
            var response = Response(status: 200, body: .stream(chunks))
            response.closingBytes = Array("data: bye\n\n".utf8)
            Task {
                try? await Task.sleep(for: .seconds(30))
                chunk.finish()
            }
            return response
        }
        try await SecureServer.with(handler: handler) { server in
            async let read = server.curl([flag, "--no-buffer"])
            try await Task.sleep(for: .seconds(1))
            let clock = ContinuousClock.now
            await server.server.drain(within: .seconds(10))
            #expect(.now - clock < .seconds(5))
            #expect(try await read == "data: one\n\ndata: bye\n\n")
        }
    }

    @Test(arguments: ["ping", "settings", "reset", "streams", "priority", "empty"])
    func `cuts a client that floods it, and serves others meanwhile`(kind: String) async throws {
        let slow: Handler = { request in
            if request.target == "/slow" { try? await Task.sleep(for: .seconds(5)) }
            return await echo(request)
        }
        try await SecureServer.with(handler: slow) { server in
            async let flood = server.flood(kind)
            #expect(try await server.curl(["--http2"]) == "GET /a ")
            let said = try await flood
            #expect(said.contains("cut"), "\(said)")
            #expect(try await server.curl(["--http2"]) == "GET /a ")
        }
    }

    @Test func `goes on with a client that opens too many streams before it knows the limit`()
        async throws
    {
        let slow: Handler = { request in
            if request.target == "/slow" { try? await Task.sleep(for: .seconds(1)) }
            return await echo(request)
        }
        try await SecureServer.with(handler: slow) { server in
            let said = try await server.flood("eager")
            #expect(said.contains("100 answered, 150 refused, then 1"), "\(said)")
        }
    }

    @Test func `cuts a client that does not read, and one that does not shake hands`() async throws
    {
        let limits = ServerLimits(
            headTimeoutSeconds: 1, idleTimeoutSeconds: 2, writeTimeoutSeconds: 1)
        let large: Handler = { _ in
            Response(status: 200, body: .bytes([UInt8](repeating: 65, count: 20_000_000)))
        }
        let seen = SeenAnswers()
        try await SecureServer.with(limits: limits, observer: seen, handler: large) { server in
            for kind in ["deaf", "mute", "idle"] {
                let said = try await server.flood(kind)
                #expect(said.contains("cut"), "\(kind): \(said)")
            }
        }
        #expect(seen.slowReaders == 1)
    }

    @Test func `cuts answers that drip, and not those that are read slowly`() async throws {
        let limits = ServerLimits(writeTimeoutSeconds: 2)
        let large: Handler = { _ in
            Response(status: 200, body: .bytes([UInt8](repeating: 65, count: 1_000_000)))
        }
        try await SecureServer.with(limits: limits, handler: large) { server in
            let (dripped, sipped) = (try await server.flood("drip"), try await server.flood("sip"))
            #expect(dripped.contains("3 reset"))
            #expect(sipped.contains("0 reset"))
        }
    }

    @Test func `refuses answers when those that wait take what one address may have`() async throws
    {
        let limits = ServerLimits(reservedBytesPerAddressMax: 5_000_000)
        let large: Handler = { request in
            var response = Response(
                status: 200, body: .bytes([UInt8](repeating: 65, count: 2_000_000)))
            response.isShared = request.target == "/shared"
            return response
        }
        let seen = SeenAnswers()
        try await SecureServer.with(limits: limits, observer: seen, handler: large) { server in
            let http = server.server
            func reserved() async -> Int {
                await http.loop.submit { http.control.accounts.bytes[.answer] }
            }
            func status(_ path: String) async throws -> String {
                let arguments = ["--http2", "--output", "/dev/null", "--write-out", "%{http_code}"]
                return try await server.curl(arguments, path: path)
            }
            async let said = server.flood("unread")
            try await waitUntil { await reserved() == 4_000_000 }
            #expect(try await status("/a") == "503")
            #expect(try await status("/shared") == "200")
            #expect(try await status("/unseen") == "503")
            #expect(seen.statuses == [200, 200, 503, 200] && seen.underWay == 0)
            #expect(try await said.contains("left"))
            try await waitUntil { await reserved() == 0 }
            #expect(try await status("/a") == "200")
        }
    }

    @Test func `counts connections of one address during the handshake too`() async throws {
        let limits = ServerLimits(connectionsMax: 20, connectionsPerAddressMax: 5)
        try await SecureServer.with(limits: limits, handler: echo) { server in
            let said = try await server.flood("crowd")
            #expect(said.contains("5 open"), "\(said)")
        }
    }

    @Test func `refuses heads that are too long or not one host's, over HTTP2 too`() async throws {
        try await SecureServer.with(handler: echo) { server in
            for count in [20_000, 60_000] {
                let long = String(repeating: "x", count: count)
                let answer = try await server.curl(
                    ["--http2", "--header", "X-Long: \(long)"] + version)
                #expect(answer.hasSuffix("HTTP/2 431"), "\(answer)")
            }
            let host = try await server.curl(["--http2", "--header", "Host: a;b"] + version)
            #expect(host.hasSuffix("HTTP/2 400"), "\(host)")
        }
    }
}

@Suite(.timeLimit(.minutes(1)))
struct `A server on a Unix-domain socket` {
    private func start(_ path: String, mode: UInt32 = 0o600) async throws -> (
        HTTP1Server, EventLoop
    ) {
        let loop = EventLoop(name: "unix")
        let seen: Handler = { request in
            Response(status: 200, body: .bytes(Array("secure \(request.isSecure)".utf8)))
        }
        let server = HTTP1Server(
            loop: loop, host: "unix:\(path)", port: 0, socketMode: mode,
            trustedProxies: [AddressRange("unix")].compactMap(\.self), handler: seen)
        #expect(try await server.start() == 0)
        return (server, loop)
    }

    @Test func `answers there, believes a proxy, and takes its file away`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("s")
        let (server, loop) = try await start(path)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        #expect(mode as? Int == 0o600)
        let answer = try await Tool.run(
            "curl", "--silent", "--unix-socket", path, "--header", "X-Forwarded-Proto: https",
            "http://localhost/")
        #expect(answer == "secure true")
        await server.drain(within: .milliseconds(200))
        await loop.shutdown()
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `takes the place of a dead one, and of nobody who lives`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("s")
        _ = try await Tool.run(
            "python3", "-c", "import socket; socket.socket(socket.AF_UNIX).bind('\(path)')")
        #expect(FileManager.default.fileExists(atPath: path))
        let (server, loop) = try await start(path)
        await #expect(
            throws: HTTPError.cannotListen("\(NetworkError.socketFileInUse)")
        ) { _ = try await start(path) }
        #expect(
            try await Tool.run("curl", "--silent", "--unix-socket", path, "http://localhost/")
                == "secure false")
        await server.drain(within: .milliseconds(200))
        await loop.shutdown()
        try folder.write("text", "s")
        await #expect(
            throws: HTTPError.cannotListen("\(NetworkError.socketPathTaken)")
        ) { _ = try await start(path) }
        await #expect(
            throws: HTTPError.cannotListen("\(NetworkError.socketPathUnusable)")
        ) { _ = try await start(String(repeating: "x", count: 200)) }
    }
}
