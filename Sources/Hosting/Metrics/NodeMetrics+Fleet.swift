import Domain
import EventLoop
import EventStore

/// What the database knows of all nodes: the same on each of them, so that a query takes `max`.
extension NodeMetrics {
    func fleet(_ facts: FleetFacts?) -> [Metric] {
        let known = Metric.gauge(
            "islet_fleet_known", "1 while the database answers what the metrics after this ask.",
            facts == nil ? 0 : 1)
        guard let facts else { return [known] }
        return [
            known,
            .gauge(
                "islet_clock_ahead_seconds",
                "How far the node's clock is ahead of the database's; 0 within what a look takes.",
                meters.clockAheadSeconds.withLock { $0 }),
            .gauge(
                "islet_unsent_changes", "Decisions to push that are due and not carried out.",
                Double(facts.unsent.count)),
            .gauge(
                "islet_unsent_seconds", "How long the first of them has been due.",
                facts.unsent.seconds),
            .gauge(
                "islet_owed_phones", "Phones that wait for another try of their push.",
                Double(facts.owed.count)),
            .gauge(
                "islet_owed_overdue_seconds", "How long the first of them is overdue.",
                facts.owed.seconds),
            Metric(
                "islet_claims", .gauge, "Activities that a node has claimed.", by: "node",
                facts.claims.sorted { $0.key < $1.key }),
            .gauge(
                "islet_parked_events", "Events that could not be folded and are not skipped.",
                Double(facts.parked)),
            Metric(
                "islet_dead_letters", .gauge, "What was given up and nobody has dealt with.",
                by: "carrier",
                DeadLetter.Carrier.allCases.map { ($0.rawValue, facts.deadLetters[$0] ?? 0) }),
            Metric(
                "islet_apps_stopped", .gauge,
                "Apps that nothing is sent for: APNs refuses them, or phones wait for a key.",
                by: "why",
                AppSuspension.allCases.map { ($0.rawValue, facts.stoppedApps[$0] ?? 0) }),
            Self.stalled(facts.moves),
        ] + webhooks(facts.webhooks) + postgres(facts)
    }

    static func stalled(_ moves: [MovingTenant]) -> Metric {
        let states = moves.filter { !$0.isUnderWay }.map(\.metricState)
        return Metric(
            "islet_standing_moves", .gauge,
            "Moves of tenants between cells that nobody goes on with.", by: "state",
            ["leaving", "left", "opened", "arriving"].map { state in
                (state, states.count { $0 == state })
            })
    }

    private func webhooks(_ facts: FleetFacts.Webhooks) -> [Metric] {
        [
            Metric(
                "islet_webhooks", .gauge, "Webhooks, by how they are.", by: "state",
                [
                    ("working", facts.working), ("failing", facts.failing),
                    ("disabled", facts.disabled),
                ]),
            .gauge(
                "islet_webhook_messages_waiting", "Messages that failed and are tried again.",
                Double(facts.messagesWaiting)),
        ]
    }

    private func postgres(_ facts: FleetFacts) -> [Metric] {
        [
            .gauge(
                "islet_standbys", "Standbys of Postgres that are connected.",
                Double(facts.standbys.connected)),
            .gauge(
                "islet_standbys_synchronous", "Of them, those that commits wait for.",
                facts.standbys.synchronous.map(Double.init)),
            .gauge(
                "islet_standby_replay_seconds", "How far the one that is behind most is.",
                facts.standbys.replaySecondsMax),
            .gauge(
                "islet_database_transaction_seconds",
                "How long the oldest transaction in the database has been open.",
                facts.transactionSeconds),
            .gauge(
                "islet_database_clock_behind_seconds",
                "How far the database's clock is behind what it has written down.",
                facts.clockBehindSeconds),
            Metric(
                "islet_table_bytes", .gauge, "What the largest tables take up, with indexes.",
                by: "table", facts.tables.map { ($0.name, Int($0.bytes)) }),
            Metric(
                "islet_table_rows", .gauge, "Their rows, as Postgres' statistics have it.",
                facts.tables.map { .init([("table", $0.name)], $0.rows) }),
        ]
    }
}

extension MovingTenant {
    /// One that has `left` works in no cell, as far as this one knows.
    fileprivate var metricState: String {
        switch state {
        case .leaving: "leaving"
        case .gone: isOpen ? "opened" : "left"
        case .arriving: "arriving"
        }
    }
}
