import API
import DatabaseAccess
import Domain
import EventLoop
import EventStore
import Pipeline
import Postgres
import Terminal

/// Everything that `/metrics` tells, in its order: here and in `docs/reference/metrics.md` a metric
/// is added.
struct NodeMetrics: Sendable {
    let parts: Server.Parts
    let lag: LagWatch
    let fleetWatch: FleetWatch
    let requests: RequestCounts
    /// Nil without TLS.
    let certificate: ServedCertificate?
    let service: API.Service

    var meters: NodeMeters { parts.meters }
    private var health: NodeHealth { parts.node }

    /// A reader of metrics wants to see that the database does not answer, and not wait for it.
    private static let readySecondsMax = 0.5

    func all() async -> [Metric] {
        await readiness() + requests.metrics + [certificateEnd, calls] + work + [takenOver] + hosts
            + connections
            + poolLoads() + lags(await lag.facts) + fleet(await fleetWatch.facts)
            + [traces] + ProcessFacts.metrics
    }

    private func readiness() async -> [Metric] {
        let (isReady, checks) = await Self.readiness(
            service.storeCheck, parts.checks, hasStoreWorked: health.hasStoreWorked)
        return [
            Metric(
                "islet_build_info", .gauge,
                "Always 1; the version, and the commit that it was built from, are labels.",
                [.init([("version", Version.current), ("commit", Version.commit)], 1)]),
            .gauge("islet_ready", "1 while the node is ready.", isReady ? 1 : 0),
            Metric(
                "islet_check_ready", .gauge, "Of readiness: 1 for each part that works.",
                by: "check", checks),
            .gauge(
                "islet_standby_away",
                "1 while commits wait in vain for a synchronous standby, as the last call found.",
                health.store.isStandbyAway ? 1 : 0),
        ]
    }

    /// What `/readyz` says, if the database answers in time, and each part of it.
    /// - Parameter hasStoreWorked: calls were carried out of late, as while others wait for a lock.
    static func readiness(
        _ store: HealthCheck, _ others: [HealthCheck],
        hasStoreWorked: @autoclosure () -> Bool
    ) async -> (isReady: Bool, checks: [(key: String, value: Int)]) {
        let answer: Bool? = await firstOf(withinSeconds: readySecondsMax, otherwise: nil) {
            await store.isWell()
        }
        var checks = [(key: store.name, value: (answer ?? hasStoreWorked()) ? 1 : 0)]
        for check in others { checks.append((check.name, await check.isWell() ? 1 : 0)) }
        return (answer != nil && checks.allSatisfy { $0.value == 1 }, checks)
    }

    private var certificateEnd: Metric {
        .gauge(
            "islet_tls_certificate_end_seconds",
            "When the certificate that clients are shown ends, in Unix time.",
            (certificate?.end).map { Double($0) })
    }

    private var traces: Metric {
        var counts: [(key: String, value: Int)] = []
        if let known = parts.tracer?.counts {
            counts = [("sent", known.sent), ("dropped", known.dropped), ("failed", known.failed)]
        }
        return Metric(
            "islet_trace_spans_total", .counter,
            "Spans: sent to the collector, dropped because there was no room, or failed because it "
                + "did not take them.",
            by: "outcome", counts)
    }

    private var calls: Metric {
        Metric(
            "islet_store_calls_total", .counter,
            "Calls of the database that a node lives by, by result.",
            StoreCall.allCases.filter(health.calls.contains).flatMap { call in
                let counts = health.store.history(of: call).counts
                return CallResult.allCases.map { outcome in
                    Metric.Sample(
                        [("call", call.rawValue), ("outcome", outcome.rawValue)],
                        Double(counts[outcome] ?? 0))
                }
            })
    }

    private var connections: [Metric] {
        let state = parts.database.record.current
        return [
            Metric(
                "islet_database_connections", .gauge, "Connections to Postgres, by pool.",
                by: "pool", state.connectionsOpen.sorted { $0.key < $1.key }),
            .counter(
                "islet_database_calls_timed_out_total",
                "Calls that were given up because Postgres did not answer in time.",
                Double(state.callsTimedOut)),
            .counter(
                "islet_database_connections_silent_total",
                "Connections that were given up because Postgres did not answer a cancel request.",
                Double(state.connectionsSilent)),
            .counter(
                "islet_database_commits_not_replicated_total",
                "Commits that no synchronous standby had confirmed when the wait for it ended.",
                Double(state.commitsNotReplicated)),
            .counter(
                "islet_database_reconnects_total",
                "Times that Postgres was reached again after a connection had broken.",
                Double(state.reconnects)),
            .counter(
                "islet_database_server_changes_total",
                "Times that it was another server than before.", Double(state.serverChanges)),
            .gauge(
                "islet_database_writable_hosts",
                "Hosts of the database's URL that take writes, where it names several. More than "
                    + "one means that an old primary came back.",
                state.writable.map { Double($0.count) }),
        ]
    }

    private var takenOver: Metric {
        .counter(
            "islet_take_overs_total",
            "Activities taken over that another node had claimed and not finished.",
            Double(meters.takeOvers.withLock { $0 }))
    }

    private func poolLoads() async -> [Metric] {
        let database = parts.database
        let pools = [database.pool, database.deliveries, database.visitors].compactMap(\.self)
        var uses: [Metric.Sample] = []
        var waiting: [(key: String, value: Int)] = []
        var failed: [(key: String, value: Int)] = []
        let failures = database.record.current.connectsFailed
        for pool in pools {
            let (name, load) = (pool.configuration.name, await pool.load)
            uses.append(.init([("pool", name), ("state", "idle")], Double(load.idle)))
            uses.append(.init([("pool", name), ("state", "busy")], Double(load.lent)))
            waiting.append((name, load.waiting))
            failed.append((name, failures[name] ?? 0))
        }
        return [
            Metric(
                "islet_database_pool_connections", .gauge,
                "Connections to Postgres, by what they do now.", uses),
            Metric(
                "islet_database_pool_waiting", .gauge, "Calls that wait for a connection.",
                by: "pool", waiting),
            Metric(
                "islet_database_connects_failed_total", .counter,
                "Tries to open a connection to Postgres that failed.", by: "pool", failed),
        ]
    }

    /// What is the same on every node. Left out while the database does not say.
    private func lags(_ facts: LagWatch.Facts?) -> [Metric] {
        guard let facts else { return [] }
        return [
            .gauge(
                "islet_lag_events", "Events that wait to be folded, of all tenants.",
                Double(facts.events)),
            .gauge(
                "islet_lag_seconds", "How long the oldest of them has waited.", facts.seconds),
            .gauge(
                "islet_standing_checkpoints",
                "Tenants whose log no node folds although events wait.",
                Double(facts.stalled.count)),
            Metric(
                "islet_tenant_lag_seconds", .gauge,
                "How long the oldest event has waited, of the tenants that are furthest behind, "
                    + "by the tenant's number.",
                facts.worst.map { .init([("tenant", "\($0.tenant.rawValue)")], $0.waitedSeconds) }),
            .gauge(
                "islet_clock_stands", "1 while no node brings about what is due.",
                facts.clockStalledAt == nil ? 0 : 1),
        ]
    }
}

extension HealthCheck {
    fileprivate func isWell() async -> Bool {
        if case .healthy = await probe() { true } else { false }
    }
}
