import Delivery
import DeliveryRules
import Domain
import EventLoop
import EventStore
import Foundation
import Simulator
import TLS
import TestSupport
import Testing

@testable import AppKeys

extension TwoTeams {
    /// Tokens that nobody has. Anyone who can register for an activity can make them up.
    fileprivate func registerMadeUp(
        _ count: Int, for activity: (Int) -> String, of account: Account
    ) async throws {
        for number in 0..<count {
            let digits = String(number, radix: 16)
            let hex = String(repeating: "0", count: 64 - digits.count) + digits
            _ = try await store.registrations.register(
                account.tenant, ActivityID(rawValue: activity(number)),
                try #require(PushToken(hex: hex)), .sandbox, account.bundleID)
        }
    }

    /// Sends until APNs has refused as many.
    fileprivate func drain(
        _ sender: Sender, untilRefused count: Int
    ) async throws {
        try await waitUntil("\(count) pushes are refused", within: 20) {
            await sender.drain()
            return tally.refused["BadDeviceToken"] ?? 0 >= count
        }
    }
}

/// The messages that webhooks are sent, some minutes from now.
private func told(_ store: EventStore) async -> [String] {
    let bodies = Lock<[String]>([])
    let transport = WebhookTransport(
        post: { _, _, _, body in
            bodies.withLock { $0.append(String(decoding: body, as: UTF8.self)) }
            return .answered(status: 204, retryAfterSeconds: nil)
        },
        open: { $0.sealed }, hmac: { HMACSHA256.code(for: $0, key: $1) }, sha256: SHA256.hash)
    await WebhookSender(
        store: store, transport: transport, now: { .timeOfDay.adding(seconds: 300) },
        makeLease: { UUID().uuidString }, chance: { 0.5 }, report: { _ in }
    ).drain()
    return bodies.withLock { $0 }
}

@Suite(.timeLimit(.minutes(3)))
struct `Tokens that are made up` {
    @Test func `reach webhooks, as APNs said it`() async throws {
        try await TwoTeams.with { teams in
            let tenant = teams.first.tenant
            let isAdded = try await teams.store.webhooks.add(
                Webhook(
                    tenant: tenant, id: "wh_1", url: "https://shop.example",
                    phases: [.scheduled, .live], createdAt: .timeOfDay),
                WebhookSecret(
                    tenant: tenant, webhookID: "wh_1", sealed: [1],
                    masterKeyID: teams.masterKeys.currentID))
            #expect(isAdded)
            try await teams.add(teams.first)
            try await teams.place(of: teams.first)
            try await teams.registerMadeUp(3, for: { _ in TwoTeams.order }, of: teams.first)
            try await teams.withRouter { _, sender in
                try await teams.drain(sender, untilRefused: 3)
            }
            let messages = await told(teams.store).filter { $0.contains("registration.rejected") }
            #expect(messages.count == 1)
            let message = try #require(messages.first)
            #expect(message.split(separator: #""reason":"BadDeviceToken""#).count == 4)
            #expect(message.contains(#""bundleId":"\#(TwoTeams.pies)","environment":"sandbox""#))
            let letters = try await teams.store.deadLetters.list(
                tenant, DeadLetterFilter(), nil, 10)
            #expect(letters.count == 3)
            for letter in letters { #expect(message.contains(#""\#(letter.id.text)""#)) }
        }
    }

    @Test func `of one activity stop nothing, and are each pushed to once`() async throws {
        try await TwoTeams.with { teams in
            try await teams.add(teams.first)
            try await teams.place(of: teams.first)
            try await teams.registerMadeUp(40, for: { _ in TwoTeams.order }, of: teams.first)
            try await teams.withRouter { _, sender in
                try await teams.drain(sender, untilRefused: 40)
                // Nobody has been accepted before: a customer comes after all of them.
                try await teams.register(1, of: teams.first)
                try await teams.drain(sender, until: 1)
                for type in ["OrderPickedUp", "OrderDelivered"] {
                    let before = teams.tally.accepted
                    try await teams.report(type, of: teams.first)
                    try await teams.drain(sender, until: before + 1)
                }
                #expect(teams.tally.refused == ["BadDeviceToken": 40])
                #expect(try await teams.store.apps.alarms().isEmpty)
                #expect(try await teams.store.apps.deferred().isEmpty)
                #expect(try await teams.living(of: teams.first) == 1)
                #expect(teams.told == [])
            }
        }
    }

    @Test func `of an app that has the wrong environment altogether stop it, until it is mended`()
        async throws
    {
        try await TwoTeams.with { teams in
            try await teams.add(teams.second)
            for number in 0..<25 { try await teams.place("order-\(number)", of: teams.second) }
            try await teams.registerMadeUp(25, for: { "order-\($0)" }, of: teams.second)
            let app = teams.second.app
            try await teams.withRouter { router, sender in
                try await teams.drainUntilStopped(sender)
                let alarm = try #require(try await teams.store.apps.alarms().first)
                #expect(alarm.app == app)
                #expect(alarm.suspension == .tokensUnfit)
                #expect(alarm.reason == "BadDeviceToken")
                await sender.drain()
                let refused = teams.tally.refused["BadDeviceToken"] ?? 0
                #expect((20...25).contains(refused))
                // What changes meanwhile is not pushed to any of them.
                try await teams.report("OrderPickedUp", to: "order-1", of: teams.second)
                await sender.drain()
                #expect(teams.tally.refused["BadDeviceToken"] == refused)
                // Another key, and all of them are tried again.
                try await teams.add(teams.second, key: 1, .rotate)
                try await router.follow()
                try await teams.drain(sender, untilRefused: refused + 20)
            }
        }
    }
}
