import EventLoop
import Glibc
import Testing
import WebClient

/// A server that begins every answer in the same way and then goes on and on.
private struct Endless: Sendable {
    let loop = EventLoop(name: "endless")
    let head: String
    let more: String
    /// Between two pieces. Not 0: timers that are due at once would keep the loop from all else.
    var pauseMillis: Int64 = 1

    // @unchecked: touched on the loop's thread only.
    private final class Talk: @unchecked Sendable {
        let socket: Socket
        var isOver = false

        init(_ socket: Socket) { self.socket = socket }
    }

    private func start() async throws -> Int {
        try await loop.submit { () throws(NetworkError) in
            try loop.listen(host: "127.0.0.1", port: 0) { socket in
                let talk = Talk(socket)
                socket.onReleased = { talk.isOver = true }
                socket.write(Array(head.utf8))
                goOn(talk)
            }.port
        }
    }

    private func goOn(_ talk: Talk) {
        guard !talk.isOver else { return }
        if talk.socket.unsentBytes < 1_000_000 { talk.socket.write(Array(more.utf8)) }
        loop.schedule(after: .milliseconds(pauseMillis)) { goOn(talk) }
    }

    func answer(within deadline: Double) async throws -> (WebAnswer, Duration) {
        let port = try await start()
        let clientLoop = EventLoop(name: "client")
        let client = WebClient(loop: clientLoop, options: .init(allowsPrivate: true))
        let began = ContinuousClock.now
        let answer = await client.post(
            WebRequest(
                url: "http://127.0.0.1:\(port)/", headers: [], body: [], deadlineSeconds: deadline,
                share: "one"))
        let took = ContinuousClock.now - began
        await client.close()
        await clientLoop.shutdown()
        await loop.shutdown()
        return (answer, took)
    }
}

@Suite(.timeLimit(.minutes(1)))
struct `An answer without end` {
    private static let line = String(repeating: "x-more: and more and more of it\r\n", count: 300)
    private static let letters = String(repeating: "and more ", count: 10_000)

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\n", "HTTP/1.1 103 Early Hints\r\n", "HTTP/1.1 100 Continue\r\n\r\n",
    ])
    func `in its head is cut off, and is no answer`(head: String) async throws {
        let more = head.hasSuffix("\r\n\r\n") ? String(repeating: head, count: 100) : Self.line
        let (answer, took) = try await Endless(head: head, more: more).answer(within: 20)
        #expect(answer == .failed(.answerTooLong))
        #expect(took < .seconds(10))
    }

    @Test func `in one line of its head is cut off`() async throws {
        let (answer, took) = try await Endless(
            head: "HTTP/1.1 200 OK\r\nx-more: ", more: Self.letters
        ).answer(within: 20)
        // libcurl has a bound of its own for a line, and calls it a broken answer.
        #expect([.failed(.broken), .failed(.answerTooLong)].contains(answer), "\(answer)")
        #expect(took < .seconds(10))
    }

    @Test func `in its body is cut off, and its status counts`() async throws {
        let head = "HTTP/1.1 202 Accepted\r\ncontent-type: text/plain\r\n\r\n"
        let (answer, took) = try await Endless(head: head, more: Self.letters).answer(within: 20)
        #expect(answer == .answered(status: 202, retryAfterSeconds: nil))
        #expect(took < .seconds(10))
    }

    @Test func `that comes a letter at a time is too slow at its deadline`() async throws {
        let head = "HTTP/1.1 200 OK\r\n\r\n"
        let (answer, took) = try await Endless(head: head, more: "a", pauseMillis: 20)
            .answer(within: 0.7)
        #expect(answer == .failed(.tooSlow))
        #expect(took < .seconds(3))
    }
}

/// What stands in for the name servers of the world.
private struct Names: Sendable {
    let isOpen = Lock(false)

    /// Names of hosts that hang begin with `stuck`, those that lead home end in `here`.
    var resolver: NameResolver {
        NameResolver(lookup: { [isOpen] name in
            while name.hasPrefix("stuck"), !isOpen.withLock({ $0 }) { usleep(5_000) }
            return name.hasSuffix("here.test") ? .success(["127.0.0.1"]) : .failure(.hostUnknown)
        })
    }
}

@Suite(.timeLimit(.minutes(1)))
struct `A web client among slow ones` {
    private static func with(
        _ options: WebClient.Options = .init(allowsPrivate: true),
        _ body: (WebClient, _ port: Int) async throws -> Void
    ) async throws {
        let server = EventLoop(name: "server")
        // Answers all but requests of which the path says to wait.
        let port = try await server.submit { () throws(NetworkError) in
            try server.listen(host: "127.0.0.1", port: 0) { socket in
                socket.onBytes = { bytes in
                    let text = String(decoding: bytes, as: UTF8.self)
                    guard text.hasPrefix("POST /fast") else { return }
                    socket.write(Array("HTTP/1.1 204 No Content\r\n\r\n".utf8))
                }
                socket.onClose = { _ in socket.close() }
            }.port
        }
        let names = Names()
        let loop = EventLoop(name: "client")
        let client = WebClient(loop: loop, options: options, names: names.resolver)
        let result: Result<Void, any Error>
        do { result = .success(try await body(client, port)) } catch { result = .failure(error) }
        names.isOpen.withLock { $0 = true }
        await client.close()
        await loop.shutdown()
        await server.shutdown()
        try result.get()
    }

    private static func request(
        _ url: String, share: String, deadline: Double = 5
    ) -> WebRequest {
        WebRequest(url: url, headers: [], body: [], deadlineSeconds: deadline, share: share)
    }

    /// The longest that a request of another share takes while `busy` goes on.
    private static func longest(
        _ client: WebClient, _ port: Int, host: String = "here.test",
        while busy: [Task<WebAnswer, Never>]
    ) async -> Duration {
        let isOver = Lock(false)
        let waiter = Task {
            for task in busy { _ = await task.value }
            isOver.withLock { $0 = true }
        }
        var longest = Duration.zero
        repeat {
            let began = ContinuousClock.now
            let answer = await client.post(
                request("http://\(host):\(port)/fast", share: "good", deadline: 5))
            #expect(answer == .answered(status: 204, retryAfterSeconds: nil))
            longest = max(longest, ContinuousClock.now - began)
        } while !isOver.withLock { $0 }
        await waiter.value
        return longest
    }

    @Test func `waits for no name but its own, also when others are given up`() async throws {
        try await Self.with { client, port in
            let stuck = (0..<40).map { number in
                Task {
                    await client.post(
                        Self.request(
                            "http://stuck-\(number).test/", share: "bad", deadline: 0.5))
                }
            }
            #expect(await Self.longest(client, port, while: stuck) < .seconds(1))
            for task in stuck { #expect(await task.value == .failed(.tooSlow)) }
            // The threads hang for as long as the names do; nobody waits for them any more.
            #expect(await Self.longest(client, port, while: []) < .seconds(1))
        }
    }

    @Test func `says so when a share's names fill its threads and its line`() async throws {
        try await Self.with { client, port in
            let stuck = (0..<200).map { number in
                Task {
                    await client.post(
                        Self.request(
                            "http://stuck-\(number).test/", share: "bad", deadline: 0.5))
                }
            }
            var answers: [WebAnswer: Int] = [:]
            for task in stuck { answers[await task.value, default: 0] += 1 }
            #expect(answers[.failed(.tooSlow), default: 0] <= 80)
            #expect(answers[.failed(.nameLookupBusy), default: 0] >= 120)
            #expect(await Self.longest(client, port, while: []) < .seconds(1))
        }
    }

    @Test func `has places for others, however many of one share wait for their answers`()
        async throws
    {
        try await Self.with { client, port in
            // At the same host as the others too.
            let hosts = (0..<10).map { "slow-\($0).here.test" } + ["here.test"]
            let slow = (0..<300).map { number in
                Task {
                    await client.post(
                        Self.request(
                            "http://\(hosts[number % hosts.count]):\(port)/slow", share: "bad",
                            deadline: 1))
                }
            }
            #expect(await Self.longest(client, port, while: slow) < .seconds(1))
            var answers: [WebAnswer: Int] = [:]
            for task in slow { answers[await task.value, default: 0] += 1 }
            #expect(answers[.failed(.tooSlow), default: 0] >= 256)
            #expect(answers.keys.allSatisfy { [.failed(.tooSlow), .failed(.busy)].contains($0) })
        }
    }

    @Test func `asks no name that leads to this machine, whatever its form`() async throws {
        try await Self.with(.init()) { client, port in
            for host in ["here.test", "HERE.test", "here.test.", "%68ere.test"] {
                let answer = await client.post(
                    Self.request("https://\(host):\(port)/fast", share: "one"))
                #expect(
                    [.failed(.addressNotPublic), .failed(.nameNotFound)].contains(answer),
                    "\(host): \(answer)")
            }
        }
    }

    @Test func `finds a name in whatever form without asking the system`() async throws {
        try await Self.with { client, port in
            for host in ["here.test", "HERE.test", "%68ere.test"] {
                let answer = await client.post(
                    Self.request("http://\(host):\(port)/fast", share: "one"))
                #expect(answer == .answered(status: 204, retryAfterSeconds: nil), "\(host)")
            }
        }
    }
}
