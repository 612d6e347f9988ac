import EventStore
import Postgres

/// Whether the database has the log that is worked on, or a copy that is held, and whether all in
/// it is of one moment.
enum LogCheck {
    static let check = DoctorCheck("log", needs: .tables) {
        (scene) async throws(PostgresError) in
        let store = PostgresIdentityStore(pool: scene.pool)
        let sighting: LogSighting
        let faults: [LogFault]
        do throws(EventStoreError) {
            sighting = try await store.look()
            faults = try await store.faults()
        } catch { return .init(error) }
        return .init(findings(sighting.hold, faults), fine: "epoch \(sighting.epoch), not held")
    }

    static func findings(_ hold: LogHold?, _ faults: [LogFault]) -> [Finding] {
        let held = hold.map { hold in
            Finding(
                what: "nothing is folded, sent or answered: \(LogExplanation.why(hold))",
                meaning: "Every call of the API gets 503 log-held, and phones and webhooks get "
                    + "nothing.",
                remedy: LogExplanation.remedy)
        }
        return (held.map { [$0] } ?? [])
            + faults.map { fault in
                Finding(
                    what: LogExplanation.line(fault),
                    meaning: "What the database has is not of one moment: no server starts with "
                        + "it, and islet restore accept refuses it.",
                    remedy: LogExplanation.remedy(of: faults))
            }
    }
}
