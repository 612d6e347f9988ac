import Domain
import EventLoop
import Foundation
import HTTP
import TLS
import TestSupport
import Testing

@testable import Simulator

/// What released clients send and Apple is known or believed to take.
struct OddityTests: OverTheWire {
    private static let textual = Apple.providerToken(
        claims: #"{"iss":"TEAM000001","iat":"1767225600"}"#)

    /// A token whose signature is spelled as OpenSSL and Java spell it.
    private static func derToken(_ change: ([UInt8]) -> [UInt8] = { $0 }) -> String {
        let token = Apple.providerToken()
        let input = token.split(separator: ".").dropLast().joined(separator: ".")
        let joined = Apple.signature(of: Array(input.utf8), keyID: "KEY0000001")
        return input + "." + Apple.base64URL(change(der(joined)))
    }

    private static func der(_ joined: [UInt8]) -> [UInt8] {
        func integer(_ part: ArraySlice<UInt8>) -> [UInt8] {
            var digits = Array(part.drop { $0 == 0 })
            if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
            return [0x02, UInt8(digits.count)] + digits
        }
        let body = integer(joined.prefix(32)) + integer(joined.suffix(32))
        return [0x30, UInt8(body.count)] + body
    }

    /// What a request has of each; a body only where that is odd.
    private static func request(
        with oddity: Oddity
    ) -> (headers: [String: String], body: String?) {
        switch oddity {
        case .derSignature: (["authorization": "bearer \(derToken())"], nil)
        case .textualIssueTime: (["authorization": "bearer \(textual)"], nil)
        case .compressedBody: (["content-encoding": "gzip"], "\u{1f}not really")
        case .bodyNotJSON: ([:], "aps=1")
        case .noALPN: ([:], nil)
        }
    }

    @Test(arguments: [
        Oddity.derSignature, .textualIssueTime, .compressedBody, .bodyNotJSON,
    ])
    func `what Apple is believed to take is taken and counted, and refused on request`(
        oddity: Oddity
    ) throws {
        let (headers, body) = Self.request(with: oddity)
        var obliging = try Apple()
        let request = obliging.request(headers, body: body)
        #expect(obliging.send(request).refusal == nil)
        #expect(obliging.send(request).refusal == nil)
        #expect(obliging.world.apns.oddities.takeUnread() == [oddity], "told once")
        #expect(obliging.world.apns.oddities.counts[oddity] != nil)
        var strict = try Apple(refused: [oddity])
        let reason: APNsRefusal = body == nil ? .invalidProviderToken : .payloadEmpty
        #expect(strict.send(request).refusal == reason)
        #expect(strict.send(strict.request()).refusal == nil)
        #expect(strict.world.apns.oddities.counts.isEmpty)
    }

    @Test func `a signature that is neither is invalid`() throws {
        let changes: [([UInt8]) -> [UInt8]] = [
            { Array($0.dropLast()) }, { $0 + [0] }, { [0x31] + $0.dropFirst() },
            { $0.prefix(4) + [$0[4] ^ 1] + $0.dropFirst(5) },
            { _ in [0x30, 0x02, 0x02, 0x00] }, { _ in [0x30] },
        ]
        for change in changes {
            var apple = try Apple()
            let header = ["authorization": "bearer \(Self.derToken(change))"]
            #expect(apple.send(apple.request(header)).refusal == .invalidProviderToken)
        }
    }

    @Test func `numbers of every length come back from DER with their zeros`() {
        for zeros in 0...32 {
            for next in [UInt8(1), 0x7f, 0x80, 0xff] {
                let part = [UInt8](
                    ([UInt8](repeating: 0, count: zeros)
                        + [UInt8](repeating: next, count: 32 - zeros)))
                let der = Self.der(part + part)
                #expect(ES256Signature.joined(der: der[...]) == part + part)
            }
        }
    }

    @Test(.timeLimit(.minutes(1)), arguments: [5000, 70_000, 2_000_000])
    func `a body over any bound gets Apple's answer with the sender's id`(count: Int) async throws {
        try await withSimulator { running, loop in
            let token = running.simulator.addSilentToken()
            let connection = try await connect(running, loop)
            var push = request(
                running, token, slices: 1, providerToken: try providerToken(running))
            push.headers.append("apns-id", "123e4567-e89b-12d3-a456-4266554400a0")
            let body = push.body
            push.body += [UInt8](repeating: 32, count: count)
            let answer = try await connection.send(push, deadline: .seconds(5))
            #expect(answer.status == 413)
            #expect(answer.bodyText == #"{"reason":"PayloadTooLarge"}"#)
            #expect(answer.headers["apns-id"] == "123e4567-e89b-12d3-a456-4266554400a0")
            #expect(running.simulator.tally().refused == ["PayloadTooLarge": 1])
            push.body = body
            #expect(try await connection.send(push, deadline: .seconds(5)).status == 200)
            await connection.close()
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a client without h2 by ALPN gets frames, and a strict simulator ends the handshake`()
        async throws
    {
        for refused in [Set<Oddity>(), [.noALPN]] {
            let heard = Lock<[Oddity]>([])
            try await withSimulator {
                $0.refused = refused
                $0.heed = { oddity, _ in heard.withLock { $0.append(oddity) } }
            } _: { running, _ in
                func curl(_ options: String...) async throws -> Int32 {
                    try await run(
                        ["curl", "--silent", "--insecure", "--max-time", "10", "-o", "/dev/null"]
                            + options + ["https://localhost:\(running.apnsPort)/3/device/ab"]
                    ).status
                }
                let isStrict = !refused.isEmpty
                // 35 is a handshake that failed; 1 are bytes that are no HTTP/1.
                #expect(try await curl("--http1.1") == (isStrict ? 35 : 1))
                let without = try await curl("--no-alpn", "--http2-prior-knowledge")
                #expect((without == 0) == !isStrict)
            }
            #expect(heard.withLock { $0 } == (refused.isEmpty ? [.noALPN] : []))
        }
    }
}
