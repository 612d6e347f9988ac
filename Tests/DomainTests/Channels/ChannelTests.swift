import Domain
import Foundation
import JSON
import Testing

struct `A channel` {
    private static let made = Channel(
        id: 7, tenant: TenantID(rawValue: 3), activityID: ActivityID(rawValue: "match-1"),
        app: AppInEnvironment(bundleID: "app.match", environment: .sandbox),
        wantedAt: Moment(unixSeconds: 100))

    @Test(arguments: [
        (Channel.State.wanted, true), (.creating, true), (.open, true), (.lost, false),
        (.deleted, false), (.withdrawn, false),
    ])
    func `is current until nobody can listen to it any more`(
        state: Channel.State, isCurrent: Bool
    ) {
        #expect(state.isCurrent == isCurrent)
    }

    @Test func `begins as one that is wanted, and has sent nothing`() {
        let channel = Self.made
        #expect(channel.state == .wanted)
        #expect(channel.storage == .none)
        #expect(channel.sentVersion == 0 && channel.attempts == 0)
        #expect(channel.channelID == nil && channel.openedAt == nil && channel.retryAt == nil)
    }

    @Test func `belongs to the tenant's app in one environment`() {
        let app = Self.made.tenantApp
        #expect(
            app
                == TenantApp(
                    tenant: TenantID(rawValue: 3), bundleID: "app.match", environment: .sandbox))
        #expect(app != TenantApp(tenant: TenantID(rawValue: 4), app: Self.made.app))
        #expect(
            app
                != TenantApp(
                    tenant: TenantID(rawValue: 3), bundleID: "app.match", environment: .production))
    }

    @Test func `has its broadcasts counted, accepted or not`() throws {
        let tally = ChannelTally(accepted: 2, failed: 3)
        #expect(tally.count == 5)
        #expect(ChannelTally.none.count == 0)
        let json = WireCoder.encode(tally)
        #expect(String(decoding: json, as: UTF8.self) == #"{"accepted":2,"failed":3}"#)
        #expect(try WireCoder.decode(ChannelTally.self, from: json) == tally)
        for bad in [#"{"accepted":2}"#, #"{"accepted":2,"failed":"3"}"#, "[]"] {
            #expect(throws: DecodingError.self) {
                try WireCoder.decode(ChannelTally.self, from: Data(bad.utf8))
            }
        }
    }
}

struct `A webhook` {
    private func webhook(kinds: [String] = [], phases: [Phase] = []) -> Webhook {
        Webhook(
            tenant: TenantID(rawValue: 1), id: "wh_0123456789abcdef01234567",
            url: "https://shop.example/hook", kinds: kinds, phases: phases,
            createdAt: Moment(unixSeconds: 0))
    }

    @Test func `that names neither kind nor phase receives everything`() {
        for phase in Phase.allCases {
            #expect(webhook().wants(kind: "Match", phase: phase))
        }
    }

    @Test func `receives the kinds and the phases that it names, and only both together`() {
        let hook = webhook(kinds: ["Match", "PizzaDelivery"], phases: [.live, .ended])
        #expect(hook.wants(kind: "Match", phase: .live))
        #expect(hook.wants(kind: "PizzaDelivery", phase: .ended))
        #expect(!hook.wants(kind: "Match", phase: .scheduled))
        #expect(!hook.wants(kind: "BikeRide", phase: .live))
        #expect(!hook.wants(kind: "match", phase: .live))
        #expect(webhook(kinds: ["Match"]).wants(kind: "Match", phase: .scheduled))
        #expect(webhook(phases: [.ended]).wants(kind: "BikeRide", phase: .ended))
    }

    @Test func `asks a snapshot for its kind and its phase`() {
        var snapshot = Snapshot(
            activityID: ActivityID(rawValue: "order-1"), kind: "PizzaDelivery", version: 1,
            position: 1, phase: .live, state: Data(), attributes: Data(), contentState: Data(),
            updatedAt: Moment(unixSeconds: 0))
        let hook = webhook(kinds: ["PizzaDelivery"], phases: [.ended])
        #expect(!hook.wants(snapshot))
        snapshot.phase = .ended
        #expect(hook.wants(snapshot))
    }
}
