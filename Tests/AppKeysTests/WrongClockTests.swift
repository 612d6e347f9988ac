import Delivery
import DeliveryRules
import Domain
import EventStore
import Simulator
import TLS
import TestSupport
import Testing

@testable import AppKeys

/// A clock is one node's, and the database has one of its own.
@Suite(.timeLimit(.minutes(3)))
struct `Apps of a node with a wrong clock` {
    @Test func `are said to have that`() async throws {
        try await TwoTeams.with { teams in
            try await teams.add(teams.second, signedBy: .generate())
            try await teams.register(1, of: teams.second)
            try await teams.place(of: teams.second)
            try await teams.withRouter(now: { .timeOfDay.adding(seconds: 7200) }) { _, sender in
                try await teams.drainUntilStopped(sender)
            }
            let alarm = try #require(try await teams.store.apps.alarms().first)
            #expect(alarm.suspension == .clockWrong)
            // By the database's clock, which the other nodes share.
            let time = try await teams.store.deliveries.time()
            #expect(abs(time.seconds(since: alarm.since)) < 60)
            #expect(alarm.probeAt.seconds(since: time) <= 60)
            guard
                case .stopped(_, .clockWrong, _, let ahead?)? = teams.told.first
            else {
                Issue.record("\(teams.told)")
                return
            }
            #expect(abs(ahead - 7200) < 60)
        }
    }

    @Test func `are sent for by the others, which ends its alarm`()
        async throws
    {
        try await TwoTeams.with { teams in
            try await teams.add(teams.second)
            try await teams.register(1, of: teams.second)
            try await teams.place(of: teams.second)
            let app = teams.second.app
            // As a node wrote it down by its own clock.
            let wrong = Moment.timeOfDay.adding(seconds: 4_000)
            try await teams.store.apps.raise(
                AppAlarm(
                    app: app, suspension: .clockWrong, reason: "ExpiredProviderToken",
                    since: wrong, probeAt: wrong.adding(seconds: 30)))
            try await teams.withRouter { router, sender in
                #expect(router.transport.suspension(app) == nil)
                try await teams.drain(sender, until: 1)
                try await waitUntil("the alarm is over", within: 20) {
                    try await teams.store.apps.alarms().isEmpty
                }
            }
            #expect(teams.told == [.resumed(app)])
        }
    }

    @Test func `stay stopped there, although others end its alarm`()
        async throws
    {
        try await TwoTeams.with { teams in
            try teams.simulator.simulator.cause(Fault(.condition(.apnsClock(4000))))
            try await teams.add(teams.second)
            try await teams.register(1, of: teams.second)
            try await teams.place(of: teams.second)
            let app = teams.second.app
            try await teams.withRouter { router, sender in
                try await teams.drainUntilStopped(sender)
                try await router.follow()
                try await teams.store.apps.clear(app)
                try await router.follow()
                #expect(router.transport.suspension(app) == "clock-wrong")
            }
        }
    }

    @Test func `are probed when the node that stopped them says, by the database's clock`()
        async throws
    {
        try await TwoTeams.with { teams in
            try await teams.add(teams.second)
            let app = teams.second.app
            let time = try await teams.store.deliveries.time()
            try await teams.store.apps.raise(
                AppAlarm(
                    app: app, suspension: .keyRefused, reason: "InvalidProviderToken",
                    since: time, probeAt: time.adding(seconds: 600)))
            try await teams.withRouter(now: { .timeOfDay.adding(seconds: 4_000) }) { router, _ in
                #expect(router.transport.suspension(app) == "key-refused")
            }
        }
    }

    @Test func `are stopped for that if APNs takes fresh tokens for expired ones`() async throws {
        try await TwoTeams.with { teams in
            try teams.simulator.simulator.cause(Fault(.condition(.apnsClock(4000))))
            try await teams.add(teams.second)
            try await teams.register(1, of: teams.second)
            try await teams.place(of: teams.second)
            try await teams.withRouter { _, sender in
                try await teams.drainUntilStopped(sender)
            }
            let app = teams.second.app
            #expect(
                teams.told == [
                    .stopped(app, .clockWrong, reason: "ExpiredProviderToken", clockAhead: nil)
                ])
        }
    }
}
