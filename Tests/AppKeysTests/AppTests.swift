import APNs
import APNsClient
import Delivery
import DeliveryRules
import Domain
import EventLoop
import EventStore
import Foundation
import Postgres
import Simulator
import TLS
import TestSupport
import Testing

@testable import AppKeys

@Suite(.timeLimit(.minutes(3)))
struct `Apps of two developer accounts` {
    @Test func `are each sent for with their own key, over connections of their own`()
        async throws
    {
        try await TwoTeams.with { teams in
            for account in [teams.first, teams.second] {
                try await teams.add(account)
                try await teams.register(3, of: account)
                try await teams.place(of: account)
            }
            try await teams.withRouter { _, sender in
                try await teams.drain(sender, until: 6)
            }
            #expect(teams.tally.refused == [:])
            #expect(teams.told == [])
        }
    }

    /// What the test above shows is only worth something if APNs would have refused it otherwise.
    @Test func `are refused with each other's keys, which stops that app alone and prunes nothing`()
        async throws
    {
        try await TwoTeams.with { teams in
            try await teams.add(teams.first)
            // The second's app with the id of its key, and the first's key itself.
            try await teams.add(teams.second, signedBy: teams.first.keys[0])
            for account in [teams.first, teams.second] {
                try await teams.register(3, of: account)
                try await teams.place(of: account)
            }
            let app = teams.second.app
            try await teams.withRouter { _, sender in
                try await teams.drain(sender, until: 3)
                try await waitUntil("the other's phones wait", within: 20) {
                    await sender.drain()
                    return try await teams.store.apps.deferred()
                        == [DeferredPhones(app: app, suspension: .keyRefused, count: 3)]
                }
                #expect(Set(teams.tally.refused.keys) == ["InvalidProviderToken"])
                let alarms = try await teams.store.apps.alarms()
                #expect(alarms.map(\.app) == [app])
                #expect(alarms.map(\.reason) == ["InvalidProviderToken"])
                #expect(try await teams.living(of: teams.second) == 3)
                let diagnostics = teams.told
                #expect(
                    diagnostics == [
                        .stopped(
                            app, .keyRefused, reason: "InvalidProviderToken", clockAhead: nil)
                    ])
                // While it is stopped APNs hears nothing of it, and the other app goes on.
                let refused = teams.tally.refused
                try await teams.report("OrderPickedUp", of: teams.second)
                try await teams.report("OrderPickedUp", of: teams.first)
                try await teams.drain(sender, until: 6)
                #expect(teams.tally.refused == refused)
            }
        }
    }

    @Test func `go on at once when a key that counts takes over`() async throws {
        try await TwoTeams.with { teams in
            try await teams.add(teams.second, signedBy: .generate())
            try await teams.register(2, of: teams.second)
            try await teams.place(of: teams.second)
            try await teams.withRouter { router, sender in
                try await waitUntil("the phones wait", within: 20) {
                    await sender.drain()
                    return try await teams.store.apps.deferred().map(\.count) == [2]
                }
                try await teams.add(teams.second, key: 1, .rotate)
                try await router.follow()
                #expect(try await teams.store.apps.deferred() == [])
                #expect(try await teams.store.apps.alarms() == [])
                try await teams.drain(sender, until: 2)
            }
        }
    }

    @Test func `are stopped on every node by what one has found out, and go on together`()
        async throws
    {
        try await TwoTeams.with { teams in
            try await teams.add(teams.second, signedBy: .generate())
            try await teams.register(1, of: teams.second)
            try await teams.place(of: teams.second)
            try await teams.withRouter { _, sender in
                try await teams.drainUntilStopped(sender)
            }
            let app = teams.second.app
            try await teams.withRouter { router, _ in
                #expect(router.transport.suspension(app) == "key-refused")
                try await teams.store.apps.clear(app)
                try await router.follow()
                #expect(router.transport.suspension(app) == nil)
            }
        }
    }
}

@Suite(.timeLimit(.minutes(3)))
struct `An app's key` {
    @Test func `is known to be missing until it is added`() async throws {
        try await TwoTeams.with { teams in
            try await teams.withRouter { router, _ in
                #expect(!router.hasKey(for: teams.second.app))
                try await teams.add(teams.second)
                try await router.follow()
                #expect(router.hasKey(for: teams.second.app))
                #expect(!router.hasKey(for: teams.first.app))
            }
        }
    }

    @Test func `is rotated in the middle of things without a push that fails`() async throws {
        try await TwoTeams.with { teams in
            try await teams.add(teams.second)
            try await teams.register(60, of: teams.second)
            try await teams.place(of: teams.second)
            try await teams.withRouter { router, sender in
                let sending = Task {
                    var rounds = 0
                    while !Task.isCancelled {
                        rounds += await sender.drain()
                        try? await Task.sleep(for: .milliseconds(10))
                    }
                    return rounds
                }
                try await waitUntil("pushes go out", within: 20) { teams.tally.accepted > 0 }
                try await teams.add(teams.second, key: 1, .rotate)
                try await router.follow()
                let removed = try await teams.store.apps.remove(
                    teams.second.tenant, TwoTeams.cakes, teams.second.keyIDs[0])
                #expect(removed == 1)
                try await router.follow()
                try await waitUntil("all have it", within: 20) { teams.tally.accepted >= 60 }
                try await teams.report("OrderPickedUp", of: teams.second)
                try await waitUntil("all have the next", within: 20) {
                    teams.tally.accepted >= 120
                }
                sending.cancel()
                _ = await sending.value
            }
            #expect(teams.tally.refused == [:])
            #expect(teams.told == [])
            #expect(teams.senderTold == [])
            let outcomes = try await teams.store.projections.decisions(
                teams.second.tenant, ActivityID(rawValue: TwoTeams.order), 0, 10
            ).compactMap(\.outcome)
            #expect(outcomes.map(\.failed) == [0, 0])
        }
    }

    @Test func `that comes after the phones lets them have what waited`() async throws {
        try await TwoTeams.with { teams in
            try await teams.register(2, of: teams.second)
            try await teams.place(of: teams.second)
            let app = teams.second.app
            try await teams.withRouter { router, sender in
                try await waitUntil("the phones wait", within: 20) {
                    await sender.drain()
                    return try await teams.store.apps.deferred()
                        == [DeferredPhones(app: app, suspension: .noApp, count: 2)]
                }
                #expect(teams.tally.received == 0)
                #expect(teams.told == [.waiting(app, .noApp)])
                let running = Task { await router.run() }
                try await teams.add(teams.second)
                // Nobody tells the router: it hears of it.
                try await teams.drain(sender, until: 2)
                running.cancel()
                await running.value
            }
            #expect(teams.tally.refused == [:])
            #expect(try await teams.store.apps.deferred() == [])
        }
    }

    @Test func `that comes lets other phones have what waited if one app's cannot be released`()
        async throws
    {
        try await TwoTeams.with { teams in
            for account in [teams.first, teams.second] {
                try await teams.register(1, of: account)
                try await teams.add(account)
            }
            let pool = teams.database.pool
            _ = try await pool.query(
                "UPDATE registration SET retry_at = now(), last_failure = 'no-app', attempts = 1")
            _ = try await pool.query(
                """
                CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql
                AS $$ BEGIN RAISE 'too slow'; END $$
                """)
            _ = try await pool.query(
                """
                CREATE TRIGGER refuse BEFORE UPDATE ON registration FOR EACH ROW
                WHEN (old.bundle_id = '\(TwoTeams.pies)') EXECUTE FUNCTION refuse()
                """)
            try await teams.withRouter { router, _ in
                #expect(try await teams.store.apps.deferred().count == 2)
                try await router.follow()
                #expect(try await teams.store.apps.deferred().map(\.app) == [teams.first.app])
                #expect(teams.told.count == 1)
                _ = try await pool.query("DROP TRIGGER refuse ON registration")
                try await router.follow()
                #expect(try await teams.store.apps.deferred() == [])
            }
        }
    }

    @Test func `is missed aloud for a few names of each tenant, since phones choose them`()
        async throws
    {
        try await TwoTeams.with { teams in
            try await teams.withRouter { router, _ in
                for number in 0..<(AppRouter.warnedAppsMax + 100) {
                    let app = TenantApp(
                        tenant: teams.first.tenant, bundleID: "com.example.app-\(number)",
                        environment: .sandbox)
                    let suspension = router.transport.suspension(app)
                    #expect(suspension == AppSuspension.noApp.rawValue)
                }
                let other = TenantApp(
                    tenant: teams.second.tenant, bundleID: "com.example.other",
                    environment: .sandbox)
                _ = router.transport.suspension(other)
                #expect(teams.told.last == .waiting(other, .noApp))
            }
            #expect(teams.told.count == AppRouter.warnedAppsMax + 1)
        }
    }

    @Test func `of the options serves the apps that have none of their own`() async throws {
        try await TwoTeams.with { teams in
            try await teams.add(teams.first)
            for account in [teams.first, teams.second] {
                try await teams.register(1, of: account)
                try await teams.place(of: account)
            }
            try await teams.withRouter(fallback: teams.second) { _, sender in
                try await teams.drain(sender, until: 2)
            }
            #expect(teams.tally.refused == [:])
        }
    }

    @Test func `of the options lets the apps go on at once when it is replaced`() async throws {
        try await TwoTeams.with { teams in
            let account = teams.second
            try await teams.register(2, of: account)
            try await teams.place(of: account)
            // The right key with the id of another one.
            var wrong = account
            wrong.keyIDs[0] = account.keyIDs[1]
            try await teams.withRouter(fallback: wrong) { router, sender in
                try await waitUntil("the phones wait", within: 20) {
                    await sender.drain()
                    return try await teams.store.apps.deferred()
                        == [DeferredPhones(app: account.app, suspension: .keyRefused, count: 2)]
                }
                let right = APNsCredentials(
                    teamID: account.teamID, keyID: account.keyIDs[0], key: account.keys[0])
                #expect(await router.replaceFallback(right))
                #expect(try await teams.store.apps.alarms() == [])
                #expect(try await teams.store.apps.deferred() == [])
                #expect(router.transport.suspension(account.app) == nil)
                try await teams.drain(sender, until: 2)
                #expect(await !router.replaceFallback(right))
            }
        }
    }

    @Test func `of the options has a thousand apps watched and no more, since phones choose them`()
        async throws
    {
        try await TwoTeams.with { teams in
            let account = teams.second
            let apps = (0..<AppRouter.gatesMax).map { number in
                TenantApp(
                    tenant: teams.first.tenant, bundleID: "com.example.app-\(number)",
                    environment: .sandbox)
            }
            let own = account.app
            try await teams.register(1, of: account)
            try await teams.place(of: account)
            try await teams.withRouter(fallback: account) { router, sender in
                router.state.withLock { state in
                    for app in apps { state.gates[app] = AppGate() }
                }
                try await teams.drain(sender, until: 1)
                var state = router.state.withLock { $0 }
                #expect(state.gates.count == AppRouter.gatesMax)
                #expect(!state.mayHaveGate(own))
                // The first of them, and one with a key of its own, are.
                #expect(state.mayHaveGate(apps[0]))
                state.clientTable.entries[own] = AppClientTable.Entry()
                #expect(state.mayHaveGate(own))
            }
        }
    }

    @Test func `is used for channels as well`() async throws {
        try await TwoTeams.with { teams in
            try await teams.add(teams.second)
            try await teams.place(of: teams.second)
            let activity = ActivityID(rawValue: TwoTeams.order)
            let app = AppInEnvironment(bundleID: TwoTeams.cakes, environment: .sandbox)
            _ = try await teams.store.channels.want(teams.second.tenant, activity, app, .none)
            try await teams.withRouter { _, sender in
                await sender.keepChannels()
                let channel = try await teams.store.channels.find(
                    teams.second.tenant, activity, TwoTeams.cakes
                ).first
                #expect(channel?.state == .open)
                try await waitUntil("a broadcast went out", within: 20) {
                    await sender.drain()
                    return teams.simulator.simulator.tally(of: .broadcasts).accepted == 1
                }
            }
            #expect(teams.simulator.simulator.tally(of: .channels).refused == [:])
        }
    }

    @Test func `makes a channel that waits for it, also as the first key that there is`()
        async throws
    {
        try await TwoTeams.with { teams in
            let activity = ActivityID(rawValue: TwoTeams.order)
            let app = teams.second.app.app
            func channel() async throws -> Channel? {
                try await teams.store.channels.find(
                    teams.second.tenant, activity, app.bundleID
                ).first
            }
            _ = try await teams.store.channels.want(teams.second.tenant, activity, app, .none)
            try await teams.withRouter { router, sender in
                await sender.keepChannels()
                #expect(try await channel()?.lastFailure == "no-app")
                try await teams.add(teams.second)
                try await router.follow()
                await sender.keepChannels()
                #expect(try await channel()?.state == .open)
            }
        }
    }

    @Test func `that a row does not belong to is not used, and the rest is`() async throws {
        try await TwoTeams.with { teams in
            for account in [teams.first, teams.second] {
                try await teams.add(account)
                try await teams.register(1, of: account)
                try await teams.place(of: account)
            }
            _ = try await teams.database.pool.query(
                """
                UPDATE app_key k SET sealed = o.sealed FROM app_key o
                WHERE k.bundle_id = '\(TwoTeams.cakes)' AND o.bundle_id = '\(TwoTeams.pies)'
                """)
            try await teams.withRouter { _, sender in
                try await teams.drain(sender, until: 1)
                try await waitUntil("the other waits", within: 20) {
                    await sender.drain()
                    return try await teams.store.apps.deferred().map(\.suspension) == [.keySealed]
                }
            }
            #expect(teams.tally.refused == [:])
        }
    }
}
