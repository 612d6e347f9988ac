import DeliveryRules
import Domain
import EventLoop
import EventStore
import Postgres
import TestSupport
import Testing

@testable import AppKeys

/// An alarm ends by an answer of APNs, and without a phone there is none.
@Suite(.timeLimit(.minutes(3)))
struct `The alarm of an app that nothing waits for` {
    /// - Parameter seconds: for how long its probe has been due.
    private func raise(_ app: TenantApp, due seconds: Double, _ teams: TwoTeams) async throws {
        let time = try await teams.store.deliveries.time()
        try await teams.store.apps.raise(
            AppAlarm(
                app: app, suspension: .keyRefused, reason: "TopicDisallowed",
                since: time.adding(seconds: -seconds - 30),
                probeAt: time.adding(seconds: -seconds)))
    }

    @Test func `ends some time after its probe was due, and the app is sent for again`()
        async throws
    {
        try await TwoTeams.with { teams in
            let app = teams.second.app
            try await raise(app, due: DeliveryRules.Limits.idleAlarmSeconds + 60, teams)
            try await teams.withRouter(fallback: teams.second) { router, sender in
                try await router.follow()
                #expect(try await teams.store.apps.alarms() == [])
                #expect(teams.told == [.idle(app)])
                // Which the other nodes find out likewise.
                try await router.follow()
                #expect(router.state.withLock { $0.gates[app] } == nil)
                try await teams.register(1, of: teams.second)
                try await teams.place(of: teams.second)
                try await teams.drain(sender, until: 1)
            }
        }
    }

    @Test func `stays before, and while a phone waits`() async throws {
        try await TwoTeams.with { teams in
            try await raise(teams.first.app, due: 60, teams)
            try await raise(
                teams.second.app, due: DeliveryRules.Limits.idleAlarmSeconds + 60, teams)
            try await teams.register(1, of: teams.second)
            _ = try await teams.database.pool.query(
                "UPDATE registration SET retry_at = '2200-01-01', last_failure = 'key-refused'")
            try await teams.withRouter(fallback: teams.second) { router, _ in
                try await router.follow()
                #expect(try await teams.store.apps.alarms().count == 2)
                #expect(teams.told == [])
            }
        }
    }

    @Test func `stays while a card waits to be started`() async throws {
        try await TwoTeams.with { teams in
            let app = teams.second.app
            try await raise(app, due: DeliveryRules.Limits.idleAlarmSeconds + 60, teams)
            try await teams.place(of: teams.second)
            _ = try await teams.database.pool.query(
                """
                WITH d AS (
                    INSERT INTO start_device (tenant, installation, bundle_id)
                    VALUES (\(app.tenant.rawValue), 'copy', '\(app.app.bundleID)')
                    RETURNING tenant, id
                ), t AS (
                    INSERT INTO start_token (
                        tenant, device_id, kind, push_token, environment, put_at, changed_at
                    )
                    SELECT tenant, id, 'PizzaDelivery', '1', '\(app.app.environment.rawValue)',
                        now(), now()
                    FROM d
                )
                INSERT INTO card_start (
                    tenant, activity_id, device_id, state, due_at, reason, put_version
                )
                SELECT tenant, '\(TwoTeams.order)', id, 'waiting', '2200-01-01', 'key-refused', 1
                FROM d
                """)
            try await teams.withRouter(fallback: teams.second) { router, _ in
                try await router.follow()
                #expect(try await teams.store.apps.alarms().map(\.app) == [app])
            }
        }
    }
}
