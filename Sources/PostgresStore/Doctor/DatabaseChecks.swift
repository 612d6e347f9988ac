import EventStore
import Postgres

/// What `islet doctor` asks the database: looks at a deployment as it is, and says what needs a
/// hand. Leaves nothing behind.
public enum DatabaseChecks {
    /// In the order of the report: what explains the rest comes first.
    public static let checks: [DoctorCheck] = [
        HostsCheck.check, WritesCheck.check, LocksCheck.check, SchemaCheck.check, LogCheck.check,
        RolesCheck.check, WallsCheck.check, PoolerCheck.check, DurabilityCheck.check,
        StandbyCheck.check, KeptLogCheck.check, ConnectionsCheck.check, ClockCheck.check,
        VacuumCheck.check, IndexCheck.check, LagCheck.check, DueCheck.check, UnsentCheck.check,
        OwedCheck.check, ParkedCheck.check, DeadLettersCheck.check, WebhooksCheck.check,
        MoveCheck.check,
    ]

    /// One check after the other, so that none is in the way of the next.
    public static func look(at scene: DoctorScene) async -> [DoctorReport] {
        var reports: [DoctorReport] = []
        for check in checks {
            let answer: DoctorCheck.Answer
            if let obstacle = obstacle(to: check, scene, reports) {
                answer = .unseen(obstacle)
            } else {
                answer = await self.answer(of: check, scene)
            }
            reports.append(DoctorReport(name: check.name, answer: answer))
        }
        return reports
    }

    /// What was found before that makes an answer worth nothing: a standby's are not the primary's,
    /// and that nobody works where nobody can is no fault of the nodes.
    private static func obstacle(
        to check: DoctorCheck, _ scene: DoctorScene, _ reports: [DoctorReport]
    ) -> String? {
        func answer(of other: DoctorCheck) -> DoctorCheck.Answer? {
            reports.first { $0.name == other.name }?.answer
        }
        if check.name != HostsCheck.check.name {
            if scene.hosts.contains(where: \.isSeveral) {
                return "several servers are behind one address"
            }
            if !HostsCheck.haveWritable(scene.hosts) { return "no host takes writes" }
        }
        if check.ground == .server { return nil }
        guard case .fine? = answer(of: SchemaCheck.check) else {
            return "not before the schema is right"
        }
        guard check.ground == .work else { return nil }
        if case .findings? = answer(of: WritesCheck.check) {
            return "not while the database takes no writes"
        }
        if answer(of: WritesCheck.check) == WritesCheck.withoutStandby {
            return "not while commits wait for a standby"
        }
        if case .findings? = answer(of: LogCheck.check) { return "not before the log is right" }
        return nil
    }

    private static func answer(
        of check: DoctorCheck, _ scene: DoctorScene
    ) async -> DoctorCheck.Answer {
        do throws(PostgresError) { return try await check.look(scene) } catch {
            return .init(EventStoreError(error))
        }
    }
}
