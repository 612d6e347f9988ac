import Domain
public import EventStore
import Postgres

/// Whether each tenant's log is folded.
public enum LagCheck {
    static let check = DoctorCheck("lag", needs: .work) {
        (scene) async throws(PostgresError) in
        let lags = try await scene.pool.query(PostgresUpkeepStore.lags)
            .decoded(ProjectionLag.init)
        let events = lags.reduce(0) { $0 + $1.events }
        let isStalled = lags.contains { $0.isStalled(secondsMax: scene.lagSecondsMax) }
        // Only those whose log stands still are named.
        let tenants =
            try await isStalled
            ? scene.pool.query(PostgresTenantStore.tenants).decoded(Tenant.init) : []
        let holders = try await isStalled ? LagCheck.holders(scene.pool) : []
        return .init(
            findings(lags, of: tenants, holders, secondsMax: scene.lagSecondsMax),
            fine: events == 0
                ? "nothing waits"
                : events.counted("event waits", "events wait") + ", none for too long")
    }

    /// Those that lock a checkpoint come first, then those whose transaction is merely old.
    private static func holders(_ pool: Pool) async throws(PostgresError) -> [SessionHolder] {
        var holders = try await SessionHolder.lasting(SessionHolder.checkpoints, pool)
        let known = Set(holders.map(\.processID))
        for row in try await pool.query(oldTransactions) {
            let holder = SessionHolder(
                processID: try row.get(0), name: try row.get(1), seconds: try row.seconds(2))
            if !known.contains(holder.processID) { holders.append(holder) }
        }
        return holders
    }

    public static func findings(
        _ lags: [ProjectionLag], of tenants: [Tenant], _ holders: [SessionHolder],
        secondsMax: Double
    ) -> [Finding] {
        let names = Dictionary(tenants.map { ($0.id, $0.name) }, uniquingKeysWith: { $1 })
        return lags.filter { $0.isStalled(secondsMax: secondsMax) }
            .sorted { $0.waitedSeconds > $1.waitedSeconds }
            .map { lag in
                let name = names[lag.tenant] ?? "\(lag.tenant.rawValue)"
                return Finding(
                    what: "the log of \(name) stands still: "
                        + lag.events.counted("event waits", "events wait")
                        + ", the first for \(Int(lag.waitedSeconds)) s",
                    meaning: "What this tenant reports is recorded, but no phone gets it.",
                    remedy: remedy(holders))
            }
    }

    private static func remedy(_ holders: [SessionHolder]) -> String {
        guard let first = holders.first else {
            return "start a node with --role projector; islet projections list shows how far it is"
        }
        let others = holders.dropFirst().map { "\($0.processID)" }
        let more = others.isEmpty ? "" : " (further old ones: \(others.joined(separator: ", ")))"
        let since = first.seconds.map { " for \(Int($0)) s" } ?? ""
        return "a session (\(first.name)) has had a transaction open\(since) and may hold the "
            + "checkpoint: psql -c 'SELECT pg_terminate_backend(\(first.processID))'\(more)"
    }

    /// A role that may not see when others' transactions began gets no row here.
    private static let oldTransactions = """
        SELECT pid, coalesce(nullif(application_name, ''), 'no application name'),
            extract(epoch FROM clock_timestamp() - xact_start)::float8
        FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()
            AND backend_type = 'client backend' AND xact_start < now() - interval '5 s'
        ORDER BY xact_start LIMIT 5
        """
}
