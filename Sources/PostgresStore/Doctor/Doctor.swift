import EventStore
import Postgres

/// Looks at a deployment as it stands, and says what needs a hand. Leaves nothing behind.
public enum Doctor {
    /// In the order of the report: what explains the rest comes first.
    public static let checks: [DoctorCheck] = [
        HostsCheck.check, WritesCheck.check, LocksCheck.check, SchemaCheck.check, LogCheck.check,
        RolesCheck.check, WallsCheck.check, PoolerCheck.check, DurabilityCheck.check,
        StandbyCheck.check, KeptLogCheck.check, ConnectionsCheck.check, ClockCheck.check,
        VacuumCheck.check, IndexCheck.check, LagCheck.check, DueCheck.check, UnsentCheck.check,
        OwedCheck.check, ParkedCheck.check, DeadLettersCheck.check, WebhooksCheck.check,
        MoveCheck.check,
    ]

    public struct Report: Hashable, Sendable {
        public var name: String
        public var outcome: DoctorCheck.Outcome

        public init(name: String, outcome: DoctorCheck.Outcome) {
            self.name = name
            self.outcome = outcome
        }
    }

    /// One check after the other, so that none is in the way of the next.
    public static func look(at scene: DoctorScene) async -> [Report] {
        var reports: [Report] = []
        for check in checks {
            let outcome: DoctorCheck.Outcome
            if let obstacle = obstacle(to: check, scene, reports) {
                outcome = .unseen(obstacle)
            } else {
                outcome = await self.outcome(of: check, scene)
            }
            reports.append(Report(name: check.name, outcome: outcome))
        }
        return reports
    }

    /// What was found before that makes an answer worth nothing: a standby's are not the primary's,
    /// and that nobody works where nobody can is no fault of the nodes.
    private static func obstacle(
        to check: DoctorCheck, _ scene: DoctorScene, _ reports: [Report]
    ) -> String? {
        func outcome(of other: DoctorCheck) -> DoctorCheck.Outcome? {
            reports.first { $0.name == other.name }?.outcome
        }
        if check.name != HostsCheck.check.name {
            if scene.hosts.contains(where: \.isSeveral) {
                return "several servers are behind one address"
            }
            if !HostsCheck.haveWritable(scene.hosts) { return "no host takes writes" }
        }
        if check.ground == .server { return nil }
        guard case .fine? = outcome(of: SchemaCheck.check) else {
            return "not before the schema is right"
        }
        guard check.ground == .work else { return nil }
        if case .findings? = outcome(of: WritesCheck.check) {
            return "not while the database takes no writes"
        }
        if outcome(of: WritesCheck.check) == WritesCheck.withoutStandby {
            return "not while commits wait for a standby"
        }
        if case .findings? = outcome(of: LogCheck.check) { return "not before the log is right" }
        return nil
    }

    private static func outcome(
        of check: DoctorCheck, _ scene: DoctorScene
    ) async -> DoctorCheck.Outcome {
        do throws(PostgresError) { return try await check.look(scene) } catch {
            return .init(EventStoreError(error))
        }
    }
}
