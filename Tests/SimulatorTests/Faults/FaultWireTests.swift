import Domain
import EventLoop
import Foundation
import HTTP
import TestSupport
import Testing

@testable import Simulator

/// Faults of the network as a sender meets them, over real sockets.
@Suite(.timeLimit(.minutes(1)))
struct FaultWireTests: OverTheWire {
    /// Pushes of a sender that has one connection.
    private struct Sender {
        var push: Request
        var connection: HTTP2Connection

        /// The status, or why there was none.
        func send(within deadline: Duration = .seconds(5)) async -> Result<Int, HTTPError> {
            do throws(HTTPError) {
                return .success(try await connection.send(push, deadline: deadline).status)
            } catch { return .failure(error) }
        }
    }

    private func with(
        _ faults: [Fault], _ body: (RunningSimulator, Sender) async throws -> Void
    ) async throws {
        try await withSimulator({ $0.seed = 7 }) { running, loop in
            let push = request(
                running, running.simulator.addSilentToken(), slices: 1,
                providerToken: try providerToken(running))
            let connection = try await connect(running, loop)
            for fault in faults { try running.simulator.cause(fault) }
            try await body(running, Sender(push: push, connection: connection))
            await connection.close()
        }
    }

    @Test func `answers come as late as was asked for`() async throws {
        let latency = Latency(p50Seconds: 0.2, p99Seconds: 0.2)
        try await with([Fault(.condition(.delay(latency)))]) { running, sender in
            let start = ContinuousClock.now
            #expect(await sender.send() == .success(200))
            #expect(ContinuousClock.now - start >= .milliseconds(200))
            #expect(await sender.send(within: .milliseconds(50)) == .failure(.deadlineExceeded))
            try await Task.sleep(for: .milliseconds(250))
            #expect(running.simulator.tally().received == 1, "what was given up was not taken")
        }
    }

    @Test(arguments: [
        (Fault.Loss.stream, HTTPError.streamReset(code: 2)),
        (.refusedStream, .streamReset(code: 7)), (.connection, .connectionClosed),
        (.silence, .deadlineExceeded),
    ])
    func `a request is lost as was asked for`(loss: Fault.Loss, error: HTTPError) async throws {
        try await with([Fault(.condition(.lose(loss)))]) { running, sender in
            #expect(await sender.send(within: .milliseconds(300)) == .failure(error))
            if loss == .refusedStream { #expect(running.simulator.tally().received == 0) }
            running.simulator.clearFaults()
            if loss != .connection { #expect(await sender.send() == .success(200)) }
        }
    }

    @Test func `a lost answer may have been an acceptance`() async throws {
        try await with([Fault(.condition(.lose(.stream)))]) { running, sender in
            for _ in 0..<40 { _ = await sender.send() }
            #expect((5...35).contains(running.simulator.tally().accepted))
        }
    }

    @Test func `connections get a GOAWAY with Apple's reason, and are served to the end`()
        async throws
    {
        try await with([]) { running, sender in
            #expect(await sender.send() == .success(200))
            let latency = Latency(p50Seconds: 0.2, p99Seconds: 0.2)
            try running.simulator.cause(Fault(.condition(.delay(latency)), forSeconds: 30))
            async let late = sender.send()
            try await Task.sleep(for: .milliseconds(50))
            try running.simulator.cause(Fault(.blow(.goAway(.shutdown, abandons: false))))
            #expect(await late == .success(200))
            #expect(await sender.send() == .failure(.goingAway))
            let goodbye = await sender.connection.now { $0.goAwayBody }
            #expect(goodbye == Array(#"{"reason":"Shutdown"}"#.utf8))
        }
    }

    @Test func `streams that are abandoned were not processed`() async throws {
        try await with([]) { running, sender in
            #expect(await sender.send() == .success(200))
            let latency = Latency(p50Seconds: 0.2, p99Seconds: 0.2)
            try running.simulator.cause(Fault(.condition(.delay(latency))))
            async let late = sender.send()
            try await Task.sleep(for: .milliseconds(50))
            try running.simulator.cause(Fault(.blow(.goAway(.shutdown, abandons: true))))
            #expect(await late == .failure(.goingAway))
            try await Task.sleep(for: .milliseconds(250))
            #expect(running.simulator.tally().accepted == 1)
        }
    }

    @Test func `every connection is dropped at once`() async throws {
        try await with([]) { running, sender in
            #expect(await sender.send() == .success(200))
            try running.simulator.cause(Fault(.blow(.disconnect)))
            #expect(await sender.send() == .failure(.connectionClosed))
        }
    }

    @Test func `a connection may open fewer streams for a while`() async throws {
        try await with([]) { running, sender in
            #expect(await sender.send() == .success(200))
            #expect(await sender.send() == .success(200))
            #expect(await sender.connection.now { $0.peerStreamsMax } == 1000)
            try running.simulator.cause(Fault(.condition(.streams(3))))
            #expect(await sender.send() == .success(200))
            #expect(await sender.connection.now { $0.peerStreamsMax } == 3)
            running.simulator.clearFaults()
            #expect(await sender.send() == .success(200))
            #expect(await sender.connection.now { $0.peerStreamsMax } == 1000)
        }
    }

    @Test func `what is read slowly is answered late`() async throws {
        try await with([]) { running, sender in
            #expect(await sender.send() == .success(200))
            try running.simulator.cause(Fault(.condition(.readRate(1_000))))
            var heavy = sender
            heavy.push.body += [UInt8](repeating: 32, count: 600)
            let start = ContinuousClock.now
            #expect(await heavy.send() == .success(200))
            #expect(await heavy.send() == .success(200))
            #expect(ContinuousClock.now - start >= .milliseconds(500))
        }
    }

    @Test func `a share of requests is refused as was asked for`() async throws {
        let faults = [
            Fault(.condition(.answer(.tooManyRequests, of: .pushes)), share: 0.3),
            Fault(.condition(.answer(.internalServerError, of: .pushes)), share: 0.3),
        ]
        try await with(faults) { running, sender in
            var statuses: [Int: Int] = [:]
            for _ in 0..<100 {
                if case .success(let status) = await sender.send() {
                    statuses[status, default: 0] += 1
                }
            }
            #expect(Set(statuses.keys) == [200, 429, 500])
            #expect(statuses[200] ?? 0 > 30)
        }
    }
}
