import APNs
import Domain
import EventStore
import Foundation
import Simulator
import TestSupport
import Testing

/// Mistakes that others make, made here on purpose on the real way out: Apple refuses some and is
/// silent about others, and so is the simulator.
@Suite(.timeLimit(.minutes(5)))
struct `A push with a mistake` {
    private func send(
        _ tampering: @escaping @Sendable (APNsRequest) -> APNsRequest,
        _ check: (WholeSystem, PhoneID) async throws -> Void
    ) async throws {
        var flaws = WholeSystem.Flaws()
        flaws.tampering = tampering
        try await WholeSystem.with(flaws) { system in
            let phone = try await system.follow(Story.order)
            for event in [Story.placed(), Story.assigned()] {
                try #require(try await system.merchant.report(event).status == 201)
            }
            system.startProjector()
            // Everything is decided before the first push: there is exactly one.
            try await waitUntil("both changes are decided") {
                try await system.ledger().count == 2
            }
            system.startSender()
            try await system.waitUntilSettled(versions: 2)
            try await check(system, phone)
        }
    }

    private static func rewriting(
        _ rewrite: @escaping @Sendable (String) -> String
    ) -> @Sendable (APNsRequest) -> APNsRequest {
        { request in
            var request = request
            request.body = Array(rewrite(String(decoding: request.body, as: UTF8.self)).utf8)
            return request
        }
    }

    private static func setting(
        _ name: String, _ value: String?
    ) -> @Sendable (APNsRequest) -> APNsRequest {
        { request in
            var request = request
            request.headers.removeAll { $0.name == name }
            if let value { request.headers.append(.init(name, value)) }
            return request
        }
    }

    /// What the ledger says of the two changes.
    private func expectAccepted(_ counts: [Int], _ system: WholeSystem) async throws {
        let accepted = try await system.ledger().compactMap { $0.outcome?.accepted }
        #expect(accepted == counts)
    }

    @Test func `in nothing is shown, without a warning`() async throws {
        try await send({ $0 }) { system, phone in
            try await expectAccepted([1, 1], system)
            #expect(system.pushes(to: phone).map(\.outcome) == [.shown])
            #expect(system.pushes(to: phone).flatMap(\.warnings) == [])
            #expect(system.card(on: phone)?.alerts == 1)
        }
    }

    @Test func `events where event belongs is accepted by APNs and ignored by the phone`()
        async throws
    {
        let mistake = Self.rewriting { $0.replacing(#""event":"#, with: #""events":"#) }
        try await send(mistake) { system, phone in
            try await expectAccepted([1, 1], system)
            let entries = system.pushes(to: phone) + system.simulator.simulator.log(of: phone)
            let ignored = entries.filter { $0.outcome == .ignored }
            #expect(ignored.first?.sentence == "aps has events where event belongs")
            #expect(system.card(on: phone)?.alerts == 0)
            #expect(system.screen(on: phone).first == "Your order")
        }
    }

    @Test func `dates of content-state in Unix seconds show 31 years too late, and it is reported`()
        async throws
    {
        let mistake = Self.rewriting { body in
            body.replacing(/"deliveryTimer":\[(\d+),(\d+)\]/) { match in
                let dates = [match.1, match.2].map { (Int($0) ?? 0) + 978_307_200 }
                return #""deliveryTimer":[\#(dates[0]),\#(dates[1])]"#
            }
        }
        try await send(mistake) { system, phone in
            try await expectAccepted([1, 1], system)
            let warnings = system.pushes(to: phone).flatMap(\.warnings)
            let isTold = warnings.contains {
                $0.hasPrefix("deliveryTimer is implausible, 31 years ahead")
            }
            #expect(isTold, "\(warnings)")
        }
    }

    @Test func `a timestamp that counts from 2001 is accepted by APNs and ignored by the phone`()
        async throws
    {
        let mistake = Self.rewriting { body in
            body.replacing(/"timestamp":(\d+)/) { match in
                #""timestamp":\#((Int(match.1) ?? 0) - 978_307_200)"#
            }
        }
        try await send(mistake) { system, phone in
            try await expectAccepted([1, 1], system)
            let ignored = system.pushes(to: phone).filter { $0.outcome == .ignored }
            #expect(ignored.first?.sentence.contains("in the past") == true)
            #expect(system.card(on: phone)?.alerts == 0)
        }
    }

    @Test(
        arguments: [
            ("apns-push-type", nil, "InvalidPushType"),
            ("apns-push-type", "alert", "DeviceTokenNotForTopic"),
            ("apns-topic", nil, "MissingTopic"),
            ("apns-topic", "dev.islet.demo", "DeviceTokenNotForTopic"),
            ("apns-topic", "com.example.other.push-type.liveactivity", "TopicDisallowed"),
            ("apns-priority", "7", "BadPriority"), ("apns-expiration", "soon", "BadExpirationDate"),
            ("apns-id", "A-1", "BadMessageId"),
        ] as [(String, String?, String)])
    func `in a header is refused with Apple's reason`(
        name: String, value: String?, reason: String
    ) async throws {
        try await send(Self.setting(name, value)) { system, phone in
            let refused = system.simulator.simulator.tally().refused
            #expect(refused[reason] == 1, "\(refused)")
            try await expectAccepted([0, 0], system)
            #expect(system.pushes(to: phone).isEmpty)
            #expect(system.screen(on: phone).first == "Your order")
        }
    }

    @Test func `a body over 4096 bytes is refused with Apple's reason`() async throws {
        let padding = String(repeating: " ", count: 4096)
        try await send(Self.rewriting { $0 + padding }) { system, phone in
            #expect(system.simulator.simulator.tally().refused == ["PayloadTooLarge": 1])
            #expect(system.pushes(to: phone).isEmpty)
        }
    }
}
