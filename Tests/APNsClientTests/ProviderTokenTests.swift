import Encodings
import APNs
import APNsClient
import EventLoop
import Foundation
import HTTP
import TLS
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ProviderTokenTests {
    @Test func `the token is a JSON Web Token as Apple describes it`() async throws {
        try await APNsStandIn.run { _, _, _ in
            .ok
        } body: { standIn in
            _ = await standIn.client.send(APNsStandIn.push())
            let field = try #require(standIn.tokens.first)
            #expect(field.hasPrefix("bearer "))
            let parts = field.dropFirst("bearer ".count).split(
                separator: ".", omittingEmptySubsequences: false)
            #expect(parts.count == 3)
            let header = try #require(Base64URL.decode(parts[0]))
            let claims = try #require(Base64URL.decode(parts[1]))
            let signature = try #require(Base64URL.decode(parts[2]))
            #expect(
                String(decoding: header, as: UTF8.self)
                    == #"{"alg":"ES256","kid":"\#(APNsStandIn.keyID)"}"#)
            #expect(
                String(decoding: claims, as: UTF8.self)
                    == #"{"iss":"\#(APNsStandIn.teamID)","iat":\#(APNsStandIn.startSeconds)}"#)
            let publicKey = try ES256PublicKey(pem: standIn.key.publicKey.pem)
            #expect(
                publicKey.isValid(signature: signature, for: Array("\(parts[0]).\(parts[1])".utf8)))
        }
    }

    @Test func `a thousand pushes share one token`() async throws {
        try await APNsStandIn.run { _, _, _ in
            .ok
        } body: { standIn in
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<1_000 {
                    group.addTask { _ = await standIn.client.send(APNsStandIn.push(number)) }
                }
            }
            #expect(standIn.requests.count == 1_000)
            #expect(standIn.tokens.count == 1)
        }
    }

    @Test func `a token is reused for 50 minutes and then replaced on the same connection`()
        async throws
    {
        try await APNsStandIn.run { _, _, _ in
            .ok
        } body: { standIn in
            for minutes: Int64 in [0, 20, 49] {
                standIn.clock.withLock { $0 = APNsStandIn.startSeconds + minutes * 60 }
                _ = await standIn.client.send(APNsStandIn.push())
            }
            #expect(standIn.tokens.count == 1)
            standIn.clock.withLock { $0 = APNsStandIn.startSeconds + 50 * 60 }
            _ = await standIn.client.send(APNsStandIn.push())
            #expect(standIn.tokens.count == 2)
            #expect(Set(standIn.requests.map(\.connectionID)).count == 1)
        }
    }

    @Test func `a connection that is younger than 21 minutes is left when the token is replaced`()
        async throws
    {
        try await APNsStandIn.run { _, number, _ in
            number == 2 ? .disconnect : .ok
        } body: { standIn in
            for minutes: Int64 in [0, 44, 45, 51, 80, 101] {
                standIn.clock.withLock { $0 = APNsStandIn.startSeconds + minutes * 60 }
                let result = await standIn.client.send(APNsStandIn.push())
                if minutes != 44 { #expect(result == .answered(PushResponse(status: 200))) }
            }
            let requests = standIn.requests
            try #require(requests.count == 6)
            let connections = requests.map(\.connectionID)
            #expect(connections[1] == connections[0])
            #expect(connections[2] != connections[1], "the first one was lost")
            #expect(connections[3] != connections[2])
            #expect(Set(connections[3...]).count == 1, "that one was 50 minutes old")
            let tokens = requests.compactMap { $0.headers["authorization"] }
            #expect(Set(tokens[...2]).count == 1)
            #expect(Set(tokens[2...]).count == 3)
        }
    }

    @Test func `a connection that refuses another token is left`() async throws {
        try await APNsStandIn.run { _, number, _ in
            number == 2 ? .refusal(429, "TooManyProviderTokenUpdates") : .ok
        } body: { standIn in
            for minutes: Int64 in [0, 50, 50] {
                standIn.clock.withLock { $0 = APNsStandIn.startSeconds + minutes * 60 }
                _ = await standIn.client.send(APNsStandIn.push())
            }
            let connections = standIn.requests.map(\.connectionID)
            #expect(connections.count == 3)
            #expect(connections[0] == connections[1])
            #expect(connections[1] != connections[2])
            #expect(standIn.tokens.count == 2)
        }
    }

    @Test func `a connection that refuses its only token is kept`() async throws {
        try await APNsStandIn.run { _, _, _ in
            .refusal(429, "TooManyProviderTokenUpdates")
        } body: { standIn in
            for number in 1...3 { _ = await standIn.client.send(APNsStandIn.push(number)) }
            #expect(standIn.requests.count == 3)
            #expect(Set(standIn.requests.map(\.connectionID)).count == 1)
        }
    }

    @Test func `an expired token is replaced once, on a new connection`() async throws {
        try await APNsStandIn.run { _, number, _ in
            number == 1 ? .refusal(403, "ExpiredProviderToken") : .ok
        } body: { standIn in
            let result = await standIn.client.send(APNsStandIn.push())
            #expect(result == .answered(PushResponse(status: 200)))
            let requests = standIn.requests
            #expect(requests.count == 2)
            #expect(standIn.tokens.count == 2)
            #expect(requests[0].connectionID != requests[1].connectionID)
            #expect(requests[0].headers["apns-id"] == requests[1].headers["apns-id"])
        }
    }

    @Test func `an expired token is counted as the answer that it got`() async throws {
        try await APNsStandIn.run { _, number, _ in
            number == 1 ? .refusal(403, "ExpiredProviderToken") : .ok
        } body: { standIn in
            let counter = AnswerCounter()
            let client = standIn.client(network: APNsNetwork(observer: counter))
            _ = await client.send([APNsStandIn.push(1)])
            _ = await client.send([APNsStandIn.push(2), APNsStandIn.push(3)])
            await client.close()
            #expect(counter.asked.withLock { $0 } == [1, 2])
            #expect(counter.answers.withLock { $0 } == [1, 2])
            #expect(counter.renewed.withLock { $0 } == [1, 0])
        }
    }

    @Test func `many pushes refused for one old token cause one new token`() async throws {
        let gate = Gate()
        let refused = Lock<String?>(nil)
        try await APNsStandIn.run(maxConcurrentStreams: 1_000) { request, number, _ in
            if number == 1 { return .ok }
            let token = request.headers["authorization"]
            let old = refused.withLock { old in
                old = old ?? token
                return old
            }
            guard token == old else { return .ok }
            await gate.pass()
            return .refusal(403, "ExpiredProviderToken")
        } body: { standIn in
            _ = await standIn.client.send(APNsStandIn.push(0))
            await withTaskGroup(of: PushResult.self) { group in
                for number in 1...200 {
                    group.addTask { await standIn.client.send(APNsStandIn.push(number)) }
                }
                await gate.arrivals(200)
                await gate.open()
                for await result in group {
                    #expect(result == .answered(PushResponse(status: 200)))
                }
            }
            #expect(standIn.tokens.count == 2)
            #expect(Set(standIn.requests.map(\.connectionID)).count == 2)
        }
    }

    @Test func `with a wrong clock the refusal comes back instead of ever more tokens`()
        async throws
    {
        try await APNsStandIn.run { _, _, _ in
            .refusal(403, "ExpiredProviderToken")
        } body: { standIn in
            for number in 0..<20 {
                guard
                    case .answered(let response) = await standIn.client.send(
                        APNsStandIn.push(number))
                else {
                    Issue.record("not answered")
                    return
                }
                #expect(response.reason == .known(.expiredProviderToken))
            }
            #expect(standIn.tokens.count == 2)
            #expect(Set(standIn.requests.map(\.connectionID)).count == 2)
        }
    }

    /// As at Apple's, a token that is refused for its age spoils its connection for good.
    @Test func `a spoilt connection is replaced although there is no other token to try`()
        async throws
    {
        let isClockWrong = Lock(true)
        let spoilt = Lock<Set<UInt64>>([])
        var timing = APNsTiming()
        timing.replaceDelay = .milliseconds(100)
        try await APNsStandIn.run(timing: timing) { request, _, _ in
            let isSpoilt = spoilt.withLock { spoilt in
                if isClockWrong.withLock({ $0 }) { spoilt.insert(request.connectionID) }
                return spoilt.contains(request.connectionID)
            }
            return isSpoilt ? .refusal(403, "ExpiredProviderToken") : .ok
        } body: { standIn in
            let refusal = PushResponse(status: 403, reason: .known(.expiredProviderToken))
            #expect(await standIn.client.send(APNsStandIn.push()) == .answered(refusal))
            isClockWrong.withLock { $0 = false }
            try await waitUntil("a push is accepted", within: 10) {
                let result = await standIn.client.send(APNsStandIn.push())
                return result == .answered(PushResponse(status: 200))
            }
            #expect(standIn.tokens.count == 2)
            #expect(Set(standIn.requests.map(\.connectionID)).count == 3)
        }
    }

    @Test(arguments: [(0, 20), (60_000, 1)])
    func `a connection that belongs to another key is left, but not before its time`(
        delayMillis: Int, connections: Int
    ) async throws {
        var timing = APNsTiming()
        timing.replaceDelay = .milliseconds(delayMillis)
        try await APNsStandIn.run(timing: timing) { _, _, _ in
            .refusal(403, "UnrelatedKeyIdInToken")
        } body: { standIn in
            let refusal = PushResponse(status: 403, reason: .known(.unrelatedKeyIdInToken))
            for number in 1...20 {
                let result = await standIn.client.send(APNsStandIn.push(number))
                #expect(result == .answered(refusal))
            }
            #expect(standIn.tokens.count == 1)
            #expect(Set(standIn.requests.map(\.connectionID)).count == connections)
        }
    }
}

private final class AnswerCounter: APNsObserver {
    let asked = Lock<[Int]>([])
    let answers = Lock<[Int]>([])
    let renewed = Lock<[Int]>([])

    func asking(_ count: Int) { asked.withLock { $0.append(count) } }

    func answered(_ results: [PushResult], to _: [APNsRequest], renewed: Int) {
        answers.withLock { $0.append(results.count) }
        self.renewed.withLock { $0.append(renewed) }
    }
}
