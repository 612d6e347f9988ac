import Domain
import EventLoop
@testable import EventStore
import Glibc
import HTTP
import JSON
import Postgres
import TestSupport
import Testing

@testable import API

private func batch(_ name: String, _ count: Int) -> String {
    let events = (0..<count).map { number in
        SampleEvents.event(
            id: "\(name)-\(number)", type: "PizzaDelivery.OrderReady", subject: "o-\(number)",
            data: "{}")
    }
    return "[\(events.joined(separator: ","))]"
}

private func request(_ type: String, _ body: String, extra: String = "") -> String {
    """
    POST /v1/events HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer key\r\nContent-Type: \(type)\r\n\
    \(extra.isEmpty ? "Content-Length: \(body.utf8.count)" : extra)\r\n\r\n\(body)
    """
}

@Suite(.timeLimit(.minutes(2))) struct IntakePressureTests {
    @Test func `a full queue is a 503 that says when to come back, and nobody loses anything`()
        async throws
    {
        let api = try await PostgresAPI.make(
            appending: AppendLimits(queuedEventsMax: 20, queueWaitSeconds: 60))
        let blocker = try await api.block()
        async let committing = api.post(batch("a", 5))
        try await api.database.waitForLock()
        // There is room for two more of one tenant; the others are refused at once.
        let statuses = try await withThrowingTaskGroup(of: Answer.self) { group in
            for name in ["b", "c", "d", "e", "f", "g"] {
                group.addTask { try await api.post(batch(name, 5)) }
            }
            var statuses: [Int] = []
            while let answer = try await group.next() {
                statuses.append(answer.status)
                guard answer.status == 503 else { continue }
                try answer.expectProblem(.overloaded)
                #expect(answer.header("retry-after") == "2")
                guard statuses.count == 4 else { continue }
                let line = SampleEvents.assigned("o-1")
                let streamed = try await api.call(
                    "POST", "/v1/events", line, type: "application/x-ndjson")
                let document = try streamed.expectProblem(.overloaded)
                #expect(document["recorded"] == .integer(0))
                try await blocker.script("COMMIT")
            }
            return statuses
        }
        #expect(statuses == [503, 503, 503, 503, 201, 201])
        #expect(try await committing.status == 201)
        #expect(try await api.store.log.head(api.tenant) == 15)
        for name in ["b", "c", "d", "e", "f", "g"] {
            #expect([200, 201].contains(try await api.post(batch(name, 5)).status))
        }
        #expect(try await api.store.log.head(api.tenant) == 35)
    }

    @Test func `a request whose turn does not come in time is not recorded at all`() async throws {
        let api = try await PostgresAPI.make(
            appending: AppendLimits(queuedEventsMax: 100, queueWaitSeconds: 0.2))
        let blocker = try await api.block()
        async let committing = api.post(batch("a", 3))
        try await api.database.waitForLock()
        try await api.post(batch("late", 3)).expectProblem(.overloaded)
        try await blocker.script("COMMIT")
        #expect(try await committing.status == 201)
        #expect(try await api.store.log.head(api.tenant) == 3)
        #expect(try await api.post(batch("late", 3)).status == 201)
        #expect(try await api.store.log.head(api.tenant) == 6)
    }

    @Test func `a request whose client is gone is recorded whole or not at all`() async throws {
        let appends = Appends()
        let api = try await PostgresAPI.make(watched: { $0.observed(by: [appends]) })
        let served = try await ServedAPI.start(handler: api.handler)
        let blocker = try await api.block()
        // Being committed when its client goes: recorded whole.
        let first = RudeClient(port: served.port, request("application/json", batch("a", 3)))
        try await api.database.waitForLock()
        first.reset()
        // Waiting for its turn when its client goes: not recorded.
        let second = RudeClient(port: served.port, request("application/json", batch("b", 3)))
        async let third = served.exchange(request("application/json", batch("c", 2))) {
            $0.contains("\"outcome\"")
        }
        try await waitUntil { appends.counts.value.begun == 3 }
        second.reset()
        try await waitUntil { appends.counts.value.over == 1 }
        try await blocker.script("COMMIT")
        #expect(await third.hasPrefix("HTTP/1.1 201 "))
        let ids = try await api.store.log.read(api.tenant, 0, 100).map(\.event.id)
        #expect(ids == ["a-0", "a-1", "a-2", "c-0", "c-1"])
        await served.stop()
    }

    @Test func `of a stream that breaks off the complete lines are recorded and no others`()
        async throws
    {
        let api = try await PostgresAPI.make()
        let served = try await ServedAPI.start(handler: api.handler)
        let lines = (1...3000).map { SampleEvents.assigned("o-\($0 % 9)", id: "\($0)") }
        // The half line would be an event by itself.
        let text = lines.joined(separator: "\n") + "\n" + SampleEvents.placed("o-1")
        let client = RudeClient(
            port: served.port,
            request("application/x-ndjson", text, extra: "Content-Length: 10000000"))
        try await waitUntil { try await api.store.log.head(api.tenant) == 3000 }
        client.reset()
        // The same stream again, whole and in chunks of its own.
        let body = text.utf8.count
        let again = await served.exchange(
            request(
                "application/x-ndjson",
                "\(String(body, radix: 16))\r\n\(text)\r\n0\r\n\r\n",
                extra: "Transfer-Encoding: chunked")
        ) { $0.hasSuffix("}") }
        #expect(again.hasPrefix("HTTP/1.1 200 "))
        #expect(
            again.hasSuffix(
                #"{"lines":3001,"recorded":1,"alreadyKnown":3000,"unknownFields":0}"#), "\(again)")
        let log = try await api.store.log.read(api.tenant, 0, 5000)
        #expect(log.map(\.event.id) == (1...3000).map(String.init) + ["placed"])
        await served.stop()
    }

    @Test func `a key that may not write is refused before the stream is sent`() async throws {
        let api = try await PostgresAPI.make()
        let served = try await ServedAPI.start(handler: api.handler)
        let answer = await served.exchange(
            request(
                "application/x-ndjson", "",
                extra: "Content-Length: 100000\r\nExpect: 100-continue"
            ).replacing("Bearer key", with: "Bearer other"))
        #expect(answer.hasPrefix("HTTP/1.1 401 "))
        await served.stop()
    }
}

/// Counts appends that have begun, and of them those that are over.
private final class Appends: StoreObserver {
    let counts = Lock((begun: 0, over: 0))

    func appending() { counts.withLock { $0.begun += 1 } }
    func appended(_ append: ObservedAppend) { counts.withLock { $0.over += 1 } }
}

/// A client that sends a request and vanishes without a farewell.
private final class RudeClient: Sendable {
    private let descriptor: Int32

    init(port: Int, _ request: String) {
        descriptor = connectedSocket(to: port) ?? -1
        let bytes = Array(request.utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                send(descriptor, $0.baseAddress?.advanced(by: sent), bytes.count - sent, 0)
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    /// Closes with a reset, as a process that is killed behind a firewall's back.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
        close(descriptor)
    }
}
