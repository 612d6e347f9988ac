import APNs
import DeliveryRules
import Domain
import EventStore
import Foundation
import ProjectFiles
import Testing

/// A sender's clock of fan-out figures; `decidedAt` of real rows lies elsewhere.
private let start = Moment(unixSeconds: 1_900_000_000)

/// The facts of an order as they happen, and the push that the last of them causes when all before
/// were sent.
private let steps:
    [(golden: String, facts: @Sendable () -> [Fact], priority: String, keptHours: Int64)] = [
        ("first", { [.placed()] }, "10", 1),
        ("driver-assigned", { [.placed(), .assigned("Ada \"Ampère\" Ölund / Söner")] }, "10", 1),
        ("estimate-drift", { [.placed(), .assigned("Ada"), .estimated(4)] }, "5", 1),
        ("delivered", { [.placed(), .assigned("Ada"), .pickedUp(), .delivered()] }, "10", 8),
    ]

private func golden(_ name: String) throws -> String {
    try ProjectFiles.text("Tests/DeliveryTests/Golden/\(name).json")
        .trimmingCharacters(in: .newlines)
}

/// The facts as the log would give them back, all happened and recorded at fixed times.
private func recorded(_ facts: [Fact]) -> [RecordedEvent] {
    facts.enumerated().map { index, fact in
        var event = fact.event
        event.occurredAt = start.adding(seconds: Double(index * 10 - 100))
        return RecordedEvent(
            tenant: TenantID(rawValue: 1), position: Int64(index + 1), version: Int64(index + 1),
            recordedAt: start.adding(seconds: Double(index)), event: event)
    }
}

struct `The body of a push` {
    @Test(arguments: steps.map(\.golden))
    func `equals its golden file byte for byte`(name: String) throws {
        let facts = try #require(steps.first { $0.golden == name }).facts()
        var snapshot: Snapshot?
        var decisions: [Decision] = []
        for event in recorded(facts) {
            let step = try ActivityStep.apply(event, to: snapshot)
            snapshot = step.snapshot
            decisions.append(step.decision)
        }
        let plan = PushPlan.make(
            snapshot: try #require(snapshot), pending: Array(decisions.suffix(1)),
            lastCompleted: decisions.dropLast().last, timestamp: start.unixSeconds)
        let body = try #require(plan.message()).body
        #expect(String(decoding: body, as: UTF8.self) == (try golden(name)))
    }

    @Test(arguments: steps.map(\.golden))
    func `is the same when log, projector and sender made it`(name: String) async throws {
        let step = try #require(steps.first { $0.golden == name })
        let scene = try await Scene(start: start.adding(seconds: -100))
        let token = try await scene.register("phone")
        let facts = step.facts()
        try await scene.report(Array(facts.dropLast()))
        await scene.send()
        try await scene.report(Array(facts.suffix(1)))
        let pushes = await scene.send(after: 100)
        let push = try #require(pushes.first)
        #expect(pushes.count == 1)
        #expect(Self.timeless(push.text) == Self.timeless(try golden(name)))
        #expect(push.environment == .sandbox)
        #expect(push.request.path == "/3/device/\(token.hex)")
        let expected = [
            "apns-push-type": "liveactivity",
            "apns-topic": "com.example.pizza.push-type.liveactivity",
            "apns-priority": step.priority,
            "apns-expiration": "\(start.unixSeconds + step.keptHours * 3600)",
            "apns-id": push.headers["apns-id"] ?? "",
        ]
        #expect(push.headers == expected)
        #expect(push.request.headers.count == expected.count)
        let isUUID = push.headers["apns-id"]?.wholeMatch(
            of: /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/)
        #expect(isUUID != nil)
    }

    /// Without the times of this day: when it was ordered, when it was delivered and when the log
    /// recorded the end.
    private static func timeless(_ body: String) -> String {
        body.replacing(/"dismissal-date":\d+/, with: #""dismissal-date":0"#)
            .replacing(/"deliveryTimer":\[[\d.]+/, with: #""deliveryTimer":[0"#)
            .replacing(/,[\d.]+\],"driverName":"Ada","stage":"delivered"/, with: ",0]")
    }

    @Test func `leaves the card for a quarter of an hour after delivery`() async throws {
        let scene = try await Scene()
        try await scene.register("phone")
        try await scene.report(.placed(), .delivered())
        let push = try #require(await scene.send().first)
        let date = try #require(push.text.firstMatch(of: /"dismissal-date":(\d+)/)?.1)
        let decidedAt = try #require(try await scene.ledger().last).decision.decidedAt
        #expect(Int64(date) == decidedAt.adding(seconds: 900).unixSeconds)
    }
}
