import API
import APNs
import APNsClient
import Delivery
import DeliveryRules
import Domain
import EventStore
import Foundation
import Locks
import Testing

@testable import Hosting

struct `A node's meters` {
    private func decision(_ activity: String, _ verdict: Verdict) -> Decision {
        Decision(
            activityID: ActivityID(rawValue: activity), version: 1, position: 1, verdict: verdict,
            rule: "rule", reason: "Because.", contentState: Data(),
            decidedAt: Moment(microseconds: 0))
    }

    private func snapshot(_ activity: String, _ kind: String) -> Snapshot {
        Snapshot(
            activityID: ActivityID(rawValue: activity), kind: kind, version: 1, position: 1,
            phase: .live, state: Data(), attributes: Data(), contentState: Data(),
            updatedAt: Moment(microseconds: 0))
    }

    @Test func `count verdicts by the kind of their activity, and what could not be folded`() {
        var meter = FoldMeter()
        var silent = decision("match", .hold)
        silent.alertContext = AlertContext()
        silent.alertContext?.silence = .late
        var sent = decision("order", .timely)
        sent.order = PushOrder(treatment: .lowered)
        let parked = ParkedEvent(
            position: 3, activityID: ActivityID(rawValue: "order"), reason: "Nonsense.")
        meter.note(
            FoldResult(
                snapshots: [snapshot("match", "Match"), snapshot("order", "PizzaDelivery")],
                decisions: [silent, sent, decision("order", .alert)], parked: [parked]))
        meter.note(
            FoldResult(
                snapshots: [snapshot("match", "Match")], decisions: [decision("match", .hold)],
                parked: []))
        #expect(
            meter.verdicts == ["Match": [.hold: 2], "PizzaDelivery": [.timely: 1, .alert: 1]])
        #expect(meter.treatments == [.lowered: 1])
        #expect(meter.silences == [.late: 1])
        #expect(meter.parked == 1)
    }

    @Test func `name APNs' reasons, and those that Apple has added since only as others`() {
        var meter = PushMeter()
        meter.underWay = 5
        meter.note(
            [
                .answered(PushResponse(status: 200)),
                .answered(PushResponse(status: 400, body: reason("BadDeviceToken"))),
                .answered(PushResponse(status: 400, body: reason("NewIn2031"))),
                .notAnswered(reason: "the stream was reset", mayHaveBeenDelivered: true),
                .deferred(reason: "key-refused", seconds: 60),
            ], to: "push", renewed: 0)
        let names = Set(meter.answers.keys.map { "\($0.outcome) \($0.reason)" })
        #expect(
            names == [
                "accepted none", "unfit-token BadDeviceToken", "refused other", "unanswered none",
            ])
        #expect(meter.underWay == 0)
    }

    @Test func `count each answer that APNs gave, also to a token that was then replaced`() {
        let meters = NodeMeters()
        let expired = PushResponse(status: 403, body: reason("ExpiredProviderToken"))
        meters.asking(2)
        let push = APNsRequest(path: "/3/device/0f", headers: [])
        meters.answered(
            [.answered(expired), .answered(PushResponse(status: 200))], to: [push, push],
            renewed: 2)
        let list = APNsRequest.listChannels(bundleID: "com.example.pizza", requestID: "1")
        meters.asking(1)
        meters.answered(
            [.notAnswered(reason: "no", mayHaveBeenDelivered: false)], to: [list], renewed: 1)
        let meter = meters.pushes.withLock { $0 }
        let counts = Dictionary(
            uniqueKeysWithValues: meter.answers.map {
                ("\($0.key.request) \($0.key.outcome) \($0.key.reason)", $0.value)
            })
        #expect(
            counts == [
                "push expired-token ExpiredProviderToken": 2,
                "push connection-unfit ExpiredProviderToken": 1, "push accepted none": 1,
                "channel expired-token ExpiredProviderToken": 1, "channel unanswered none": 1,
            ])
        #expect(meter.underWay == 0)
    }

    @Test(arguments: [
        (200, "", "accepted"), (503, "ServiceUnavailable", "retry"),
        (403, "InvalidProviderToken", "key-refused"), (400, "ChannelNotRegistered", "refused"),
    ])
    func `count a broadcast that is worth another try as such`(
        status: Int, name: String, outcome: String
    ) {
        var meter = PushMeter()
        meter.note(
            [.answered(PushResponse(status: status, body: reason(name)))], to: "broadcast",
            renewed: 0)
        #expect(meter.answers.keys.map(\.outcome) == [outcome])
    }

    @Test func `count what was taken over from other nodes`() {
        let meters = NodeMeters()
        meters.note(.tookOver(count: 4, from: "islet-2"))
        meters.note(.credentialsRefused(reason: "InvalidProviderToken"))
        meters.note(.tookOver(count: 1, from: "islet-3"))
        #expect(meters.takeOvers.withLock { $0 } == 5)
    }

    private func reason(_ name: String) -> [UInt8] { Array("{\"reason\":\"\(name)\"}".utf8) }

    @Test func `tell events that are sent again from those that are refused`() {
        var meter = AppendMeter()
        meter.note([.notRecorded], .milliseconds(2))
        #expect((meter.recorded, meter.known, meter.refused) == (0, 0, 1))
        #expect(meter.seconds.counts.reduce(0, +) == 1)
    }
}
