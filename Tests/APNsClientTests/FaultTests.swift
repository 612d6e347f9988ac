import APNs
import EventLoop
import HTTP
import TestSupport
import Testing

@testable import APNsClient

/// A peer that misbehaves in every way: each push ends in exactly one way, and nothing hangs.
@Suite(.timeLimit(.minutes(1)))
struct FaultTests {
    private let ok = PushResult.answered(PushResponse(status: 200))

    @Test func `streams above a GOAWAY's last one move to another connection, the others finish`()
        async throws
    {
        let gate = Gate()
        try await APNsStandIn.run { request, number, server in
            if number == 50 {
                server.goAway(connection: request.connectionID, lastStreamID: 41)
                await gate.open()
            }
            if number > 1, number <= 50 { await gate.pass() }
            return .ok
        } body: { standIn in
            let tally = await APNsStandIn.burst(100, to: standIn.client)
            #expect(tally == Tally(answered: 100))
            let requests = standIn.requests
            #expect(Set(requests.map(\.connectionID)).count == 2)
            // What had arrived above the last stream came a second time.
            #expect(requests.count > 100)
        }
    }

    @Test func `streams that are reset count as processed or not by the reset`()
        async throws
    {
        try await APNsStandIn.run { _, number, _ in
            number > 1 && number.isMultiple(of: 5) ? .reset(.internalError) : .ok
        } body: { standIn in
            let tally = await APNsStandIn.burst(100, to: standIn.client)
            #expect(tally == Tally(answered: 80, maybeDelivered: 20))
            #expect(standIn.requests.count == 100)
            #expect(Set(standIn.requests.map(\.connectionID)).count == 1)
        }
    }

    @Test func `when the first push is stalled the others were not sent, and the next one heals`()
        async throws
    {
        let gate = Gate()
        try await APNsStandIn.run(timing: APNsTiming(pushDeadline: .seconds(1))) { _, number, _ in
            if number == 1 { await gate.pass() }
            return .ok
        } body: { standIn in
            let tally = await APNsStandIn.burst(20, to: standIn.client)
            #expect(tally.answered + tally.unsent + tally.maybeDelivered == 20)
            #expect(tally.maybeDelivered >= 1)
            #expect(standIn.requests.count + tally.unsent <= 20)
            #expect(await standIn.client.send(APNsStandIn.push(21)) == ok)
            await gate.open()
        }
    }

    @Test(arguments: [false, true])
    func `a connection that answers nothing any more gives way to another`(
        isWindowClosed: Bool
    ) async throws {
        let gate = Gate()
        let first = Lock<UInt64?>(nil)
        let timing = APNsTiming(pushDeadline: .seconds(1))
        try await APNsStandIn.run(timing: timing) { request, number, server in
            let connection = request.connectionID
            if number == 1 {
                first.withLock { $0 = connection }
                if isWindowClosed { server.setStreamWindow(0, connection: connection) }
            } else if first.withLock({ $0 }) == connection {
                await gate.pass()
            }
            return .ok
        } body: { standIn in
            #expect(await standIn.client.send(APNsStandIn.push(1)) == ok)
            #expect(
                await standIn.client.send(APNsStandIn.push(2))
                    == .notAnswered(reason: "no answer in time", mayHaveBeenDelivered: true))
            #expect(await standIn.client.send(APNsStandIn.push(3)) == ok)
            #expect(Set(standIn.requests.map(\.connectionID)).count == 2)
            await gate.open()
        }
    }

    @Test func `a connection that answers others keeps on when one push is not answered`()
        async throws
    {
        let gate = Gate()
        let timing = APNsTiming(pushDeadline: .seconds(1))
        try await APNsStandIn.run(timing: timing) { _, number, _ in
            if number == 2 { await gate.pass() }
            return .ok
        } body: { standIn in
            #expect(await standIn.client.send(APNsStandIn.push(1)) == ok)
            async let stalled = standIn.client.send(APNsStandIn.push(2))
            await gate.arrivals(1)
            #expect(await standIn.client.send(APNsStandIn.push(3)) == ok)
            #expect(await stalled != ok)
            #expect(await standIn.client.send(APNsStandIn.push(4)) == ok)
            #expect(Set(standIn.requests.map(\.connectionID)).count == 1)
            await gate.open()
        }
    }

    @Test func `further connections are opened while all streams are busy, up to a limit`()
        async throws
    {
        let gate = Gate()
        let slots = Lock<[UInt64: Int]>([:])
        try await APNsStandIn.run(maxConcurrentStreams: 2) { request, number, _ in
            slots.withLock { $0[request.connectionID, default: 0] += 1 }
            // The first request of each connection is answered at once and proves it.
            let isFirst = slots.withLock { $0[request.connectionID] == 1 }
            if !isFirst { await gate.pass() }
            return .ok
        } body: { standIn in
            async let tally = APNsStandIn.burst(40, to: standIn.client)
            // Two on each of eight.
            await gate.arrivals(16)
            await gate.open()
            #expect(await tally == Tally(answered: 40))
            #expect(Set(standIn.requests.map(\.connectionID)).count == 8)
        }
    }

    @Test func `slow answers with few streams reach everybody`() async throws {
        let busy = Lock((now: [UInt64: Int](), most: 0))
        try await APNsStandIn.run(maxConcurrentStreams: 5) { request, _, _ in
            busy.withLock {
                $0.now[request.connectionID, default: 0] += 1
                $0.most = max($0.most, $0.now.values.max() ?? 0)
            }
            try? await Task.sleep(for: .milliseconds(40))
            busy.withLock { $0.now[request.connectionID, default: 0] -= 1 }
            return .ok
        } body: { standIn in
            #expect(await APNsStandIn.burst(120, to: standIn.client) == Tally(answered: 120))
            #expect(standIn.requests.count == 120)
            #expect(busy.withLock { $0.most } <= 5)
        }
    }

    @Test(arguments: [1, 0])
    func `a stream limit lowered in the middle is kept, and everybody is answered`(
        limit: Int
    ) async throws {
        let lowered = Lock<UInt64?>(nil)
        let late = Lock(0)
        try await APNsStandIn.run(maxConcurrentStreams: 30) { request, number, server in
            if number == 10 {
                lowered.withLock { $0 = request.connectionID }
                server.setMaxConcurrentStreams(limit, connection: request.connectionID)
            } else if number > 100, lowered.withLock({ $0 }) == request.connectionID {
                late.withLock { $0 += 1 }
            }
            try? await Task.sleep(for: .milliseconds(10))
            return .ok
        } body: { standIn in
            #expect(await APNsStandIn.burst(150, to: standIn.client) == Tally(answered: 150))
            #expect(standIn.requests.count == 150)
            #expect(Set(standIn.requests.map(\.connectionID)).count > 1)
            if limit == 0 { #expect(late.withLock { $0 } == 0) }
        }
    }

    @Test func `a connection without a stream for anybody gives way to another`() async throws {
        let timing = APNsTiming(pushDeadline: .milliseconds(300))
        try await APNsStandIn.run(maxConcurrentStreams: 0, timing: timing) { _, _, _ in
            .ok
        } body: { standIn in
            let reason = await standIn.client.send(APNsStandIn.push()).unsentReason ?? ""
            #expect(reason.contains("no stream came free in time"), "\(reason)")
            for connection in await standIn.client.connections {
                #expect(await connection.http.now { $0.isUsable } == false)
            }
        }
    }

    @Test func `a certificate that has expired is the reason`() async throws {
        try await APNsStandIn.run(isExpired: true) { _, _, _ in
            .ok
        } body: { standIn in
            let reason = await standIn.client.send(APNsStandIn.push()).unsentReason ?? ""
            #expect(reason.contains("certificate has expired"))
            #expect(standIn.requests.isEmpty)
        }
    }

    @Test func `a certificate for another host is the reason`() async throws {
        try await APNsStandIn.run(hosts: ["push.example.test"]) { _, _, _ in
            .ok
        } body: { standIn in
            let reason = await standIn.client.send(APNsStandIn.push()).unsentReason ?? ""
            #expect(reason.contains("mismatch"))
            #expect(standIn.requests.isEmpty)
        }
    }

    @Test func `closing turns away those who wait for a stream`() async throws {
        let gate = Gate()
        try await APNsStandIn.run { _, _, _ in
            await gate.pass()
            return .ok
        } body: { standIn in
            async let tally = APNsStandIn.burst(10, to: standIn.client)
            await gate.arrivals(1)
            for _ in 0..<20 { await standIn.loop.submit {} }
            await standIn.client.close()
            #expect(await tally == Tally(unsent: 9, maybeDelivered: 1))
            await gate.open()
        }
    }
}
