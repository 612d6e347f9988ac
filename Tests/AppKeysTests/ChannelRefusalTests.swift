import Delivery
import DeliveryRules
import Domain
import EventLoop
import EventStore
import TestSupport
import Testing
@testable import Simulator

@testable import AppKeys

/// A key may be for the topic of an app's Live Activities, and not for the bundle id itself, which
/// channels go by.
@Suite(.timeLimit(.minutes(3)))
struct `A key that APNs refuses for channels` {
    private let order = ActivityID(rawValue: TwoTeams.order)

    /// The second team's app with its key, an order, a phone that follows it, and a wish for a
    /// channel.
    private func withWish(_ body: (TwoTeams) async throws -> Void) async throws {
        try await TwoTeams.with { teams in
            try await teams.add(teams.second)
            try await teams.register(1, of: teams.second)
            try await teams.place(of: teams.second)
            _ = try await teams.store.channels.want(
                teams.second.tenant, order, teams.second.app.app, .none)
            try await body(teams)
        }
    }

    private func channel(_ teams: TwoTeams) async throws -> Channel? {
        try await teams.store.channels.find(teams.second.tenant, order, TwoTeams.cakes).first
    }

    private func refuse(_ service: APNsService, _ teams: TwoTeams) throws {
        try teams.simulator.simulator.cause(
            Fault(.condition(.answer(.topicMismatch, of: service))))
    }

    @Test func `stops no push, and is not tried again at once`() async throws {
        try await withWish { teams in
            try refuse(.channels, teams)
            try await teams.withRouter { _, sender in
                await sender.keepChannels()
                try await teams.drain(sender, until: 1)
                await sender.keepChannels()
                try await teams.report("OrderPickedUp", of: teams.second)
                try await teams.drain(sender, until: 2)
            }
            #expect(teams.simulator.simulator.tally(of: .channels).refused == ["TopicMismatch": 1])
            #expect(teams.tally.refused == [:])
            #expect(try await teams.store.apps.alarms() == [])
            #expect(teams.told == [])
            let app = teams.second.app.app
            #expect(
                teams.senderTold.contains(.channel(.keyRefused(app, reason: "TopicMismatch"))))
            let channel = try #require(try await channel(teams))
            #expect(channel.state == .wanted)
            #expect(channel.lastFailure == "TopicMismatch")
        }
    }

    @Test func `stops no push by a broadcast either`() async throws {
        try await withWish { teams in
            try await teams.withRouter { _, sender in
                await sender.keepChannels()
                try refuse(.broadcasts, teams)
                try await teams.drain(sender, until: 1)
                try await teams.report("OrderPickedUp", of: teams.second)
                try await teams.drain(sender, until: 2)
            }
            // The answer counts for the second broadcast, which comes at once.
            #expect(
                teams.simulator.simulator.tally(of: .broadcasts).refused == ["TopicMismatch": 1])
            #expect(try await teams.store.apps.alarms() == [])
            #expect(teams.told == [])
            #expect(try await channel(teams)?.lastFailure == "TopicMismatch")
        }
    }

    @Test func `is tried for a broadcast again after some seconds, and at once if it is another`()
        async throws
    {
        try await withWish { teams in
            let clock = Lock(Moment.timeOfDay)
            try await teams.withRouter(now: { clock.withLock { $0 } }) { router, sender in
                await sender.keepChannels()
                try refuse(.broadcasts, teams)
                try await teams.drain(sender, until: 1)
                #expect(refusedBroadcasts(teams) == 1)
                clock.withLock { $0 = $0.adding(seconds: 10) }
                try await teams.report("OrderPickedUp", of: teams.second)
                try await teams.drain(sender, until: 2)
                #expect(refusedBroadcasts(teams) == 2)
                try await teams.add(teams.second, key: 1, .rotate)
                try await router.follow()
                try await teams.report("OrderDelivered", of: teams.second)
                try await teams.drain(sender, until: 3)
                #expect(refusedBroadcasts(teams) == 3)
            }
        }
    }

    private func refusedBroadcasts(_ teams: TwoTeams) -> Int? {
        teams.simulator.simulator.tally(of: .broadcasts).refused["TopicMismatch"]
    }

    /// With the app's gate as something else has left it.
    private func withGate(
        _ gate: AppGate, _ body: (TwoTeams, AppRouter, Sender) async throws -> Void
    ) async throws {
        try await withWish { teams in
            try await teams.withRouter { router, sender in
                router.state.withLock { $0.gates[teams.second.app] = gate }
                try await body(teams, router, sender)
            }
        }
    }

    @Test func `is not tried on them while it is refused for pushes`() async throws {
        let inTenMinutes = Moment.timeOfDay.adding(seconds: 600)
        try await withGate(AppGate(.keyRefused, probeAt: inTenMinutes)) { teams, _, sender in
            await sender.keepChannels()
            let wish = try await channel(teams)
            #expect(wish?.lastFailure == "key-refused")
            #expect(teams.simulator.simulator.tally(of: .channels).received == 0)
        }
    }

    @Test func `lets pushes go on by no channel that it is taken for`() async throws {
        try await withGate(AppGate(.keyRefused, probeAt: .timeOfDay)) { teams, router, sender in
            let app = teams.second.app
            await sender.keepChannels()
            #expect(try await channel(teams)?.state == .open)
            #expect(router.state.withLock { $0.gates[app]?.suspension } == .keyRefused)
            // The probe is still a push's.
            try await teams.drain(sender, until: 1)
            #expect(router.state.withLock { $0.gates[app]?.suspension } == nil)
        }
    }

    @Test func `is tried on them while no push token fits, which is no fault of the key`()
        async throws
    {
        let inTenMinutes = Moment.timeOfDay.adding(seconds: 600)
        try await withGate(AppGate(.tokensUnfit, probeAt: inTenMinutes)) { teams, _, sender in
            await sender.keepChannels()
            let wish = try await channel(teams)
            #expect(wish?.state == .open)
        }
    }
}
