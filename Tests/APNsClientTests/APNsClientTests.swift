import APNs
import APNsClient
import EventLoop
import Foundation
import HTTP
import TLS
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct APNsClientTests {
    @Test func `a push arrives with its headers and body and its answer comes back`()
        async throws
    {
        try await APNsStandIn.run { request, _, _ in
            let id = request.headers["apns-id"] ?? ""
            return .response(Response(status: 200, headers: ["apns-id": id]))
        } body: { standIn in
            let push = APNsStandIn.push(7)
            let result = await standIn.client.send(push)
            #expect(result == .answered(PushResponse(status: 200)))
            let request = try #require(standIn.requests.first)
            #expect(request.method == "POST")
            #expect(request.target == push.path)
            #expect(request.body == push.body)
            for header in push.headers {
                #expect(request.headers.values(of: header.name) == [header.value])
            }
        }
    }

    @Test func `a channel is asked for, named by the answer and deleted`() async throws {
        try await APNsStandIn.run { request, _, _ in
            guard request.method == "POST" else { return .response(Response(status: 204)) }
            let id = request.headers["apns-request-id"] ?? ""
            return .response(
                Response(
                    status: 201, headers: ["apns-channel-id": "abc=", "apns-request-id": id]))
        } body: { standIn in
            let made = await standIn.client.send(
                .createChannel(bundleID: "com.example", requestID: "r-1", storesNewest: false))
            #expect(made == .answered(PushResponse(status: 201, channelID: "abc=")))
            let deleted = await standIn.client.send(
                .deleteChannel(bundleID: "com.example", channelID: "abc=", requestID: "r-2"))
            #expect(deleted == .answered(PushResponse(status: 204)))
            let requests = standIn.requests
            #expect(requests.map(\.method) == ["POST", "DELETE"])
            #expect(Set(requests.map(\.target)) == ["/1/apps/com.example/channels"])
            #expect(requests.last?.headers["apns-channel-id"] == "abc=")
            #expect(standIn.tokens.count == 1)
        }
    }

    @Test func `a refusal carries its reason and timestamp`() async throws {
        let body = #"{"reason":"Unregistered","timestamp":1700000000123}"#
        try await APNsStandIn.run { _, _, _ in
            .response(Response(status: 410, body: .bytes(Array(body.utf8))))
        } body: { standIn in
            guard case .answered(let response) = await standIn.client.send(APNsStandIn.push())
            else {
                Issue.record("not answered")
                return
            }
            #expect(response.reason == .known(.unregistered))
            #expect(response.timestampMilliseconds == 1_700_000_000_123)
        }
    }

    @Test func `the first push goes alone, the rest when it is answered`() async throws {
        let first = Gate()
        let rest = Gate()
        try await APNsStandIn.run { _, number, _ in
            await (number == 1 ? first : rest).pass()
            return .ok
        } body: { standIn in
            try await withThrowingTaskGroup(of: PushResult.self) { group in
                for number in 0..<50 {
                    group.addTask { await standIn.client.send(APNsStandIn.push(number)) }
                }
                await first.arrivals(1)
                for _ in 0..<20 { await standIn.loop.submit {} }
                #expect(standIn.requests.count == 1)
                await first.open()
                await rest.arrivals(49)
                await rest.open()
                for try await result in group {
                    #expect(result == .answered(PushResponse(status: 200)))
                }
            }
            #expect(Set(standIn.requests.map(\.connectionID)).count == 1)
        }
    }

    @Test func `when the first push is refused for its token the next goes alone again`()
        async throws
    {
        let gate = Gate()
        let busy = Lock((now: 0, most: 0))
        try await APNsStandIn.run { _, number, _ in
            busy.withLock {
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
            if number == 1 { await gate.pass() } else { await Task.yield() }
            busy.withLock { $0.now -= 1 }
            return .refusal(403, "InvalidProviderToken")
        } body: { standIn in
            await withTaskGroup(of: PushResult.self) { group in
                for number in 0..<10 {
                    group.addTask { await standIn.client.send(APNsStandIn.push(number)) }
                }
                await gate.arrivals(1)
                await gate.open()
                for await result in group {
                    guard case .answered(let response) = result else {
                        Issue.record("not answered: \(result)")
                        continue
                    }
                    #expect(response.verdict == .credentialsRefused)
                }
            }
            #expect(busy.withLock { $0.most } == 1)
        }
    }

    @Test func `a push that nobody answers fails at its deadline`() async throws {
        let gate = Gate()
        try await APNsStandIn.run(timing: APNsTiming(pushDeadline: .seconds(2))) { _, number, _ in
            if number > 1 { await gate.pass() }
            return .ok
        } body: { standIn in
            _ = await standIn.client.send(APNsStandIn.push())
            let result = await standIn.client.send(APNsStandIn.push())
            #expect(
                result
                    == .notAnswered(reason: "no answer in time", mayHaveBeenDelivered: true))
            await gate.open()
        }
    }

    @Test func `nothing is sent after close`() async throws {
        try await APNsStandIn.run { _, _, _ in
            .ok
        } body: { standIn in
            _ = await standIn.client.send(APNsStandIn.push())
            await standIn.client.close()
            let result = await standIn.client.send(APNsStandIn.push())
            guard case .notAnswered(_, mayHaveBeenDelivered: false) = result else {
                Issue.record("unexpected: \(result)")
                return
            }
            #expect(standIn.requests.count == 1)
        }
    }

    @Test func `neither results nor credentials show a token`() async throws {
        let key = ES256PrivateKey.generate()
        let credentials = APNsCredentials(teamID: "T", keyID: "K", key: key)
        var dumped = ""
        dump(credentials, to: &dumped)
        #expect(!"\(credentials) \(dumped)".contains("PRIVATE"))
        try await APNsStandIn.run { _, _, _ in
            .disconnect
        } body: { standIn in
            let result = await standIn.client.send(APNsStandIn.push())
            #expect(!"\(result)".contains("abab"))
            #expect(!"\(result)".contains("bearer"))
        }
    }
}
