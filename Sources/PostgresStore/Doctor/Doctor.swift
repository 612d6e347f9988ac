import EventStore
import Postgres

/// Looks at a deployment as it stands, and says what needs a hand. Only reads.
public enum Doctor {
    /// In the order of the report: what explains the rest comes first.
    public static let checks: [DoctorCheck] = [
        HostsCheck.check, ReadOnlyCheck.check, SchemaCheck.check, LogCheck.check,
        RolesCheck.check, WallsCheck.check, PoolerCheck.check, DurabilityCheck.check,
        StandbyCheck.check, ConnectionsCheck.check, ClockCheck.check, VacuumCheck.check,
        IndexCheck.check, LagCheck.check, DueCheck.check, UnsentCheck.check, ParkedCheck.check,
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
        var hasSchema = true
        for check in checks {
            guard hasSchema || !check.needsSchema else {
                reports.append(
                    Report(name: check.name, outcome: .unseen("not before the schema is right")))
                continue
            }
            let outcome = await outcome(of: check, scene)
            if check.name == SchemaCheck.check.name {
                hasSchema = if case .fine = outcome { true } else { false }
            }
            reports.append(Report(name: check.name, outcome: outcome))
        }
        return reports
    }

    private static func outcome(
        of check: DoctorCheck, _ scene: DoctorScene
    ) async -> DoctorCheck.Outcome {
        do throws(PostgresError) { return try await check.look(scene) } catch {
            return .init(EventStoreError(error))
        }
    }
}
