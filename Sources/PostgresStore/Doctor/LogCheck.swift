import EventStore
import Postgres

/// Whether the database has the log that is worked on, or a copy that is held, and whether all in
/// it is of one moment.
enum LogCheck {
    static let check = DoctorCheck("log", needs: .tables) {
        (scene) async throws(PostgresError) in
        let store = PostgresIdentityStore(pool: scene.pool)
        let hidden = try await TenantWalls.look(scene.pool).hiddenLog
        let sighting: LogSighting
        let inconsistencies: [LogInconsistency]
        do throws(EventStoreError) {
            sighting = try await store.look()
            inconsistencies = try await hidden.isEmpty ? store.inconsistencies() : []
        } catch { return .init(error) }
        return .init(
            findings(sighting.hold, inconsistencies) + findings(hidden: hidden),
            fine: "epoch \(sighting.epoch), not held")
    }

    static func findings(hidden tables: [String]) -> [Finding] {
        guard !tables.isEmpty else { return [] }
        return [
            Finding(
                what: LogExplanation.hidden(tables),
                meaning: "What is there looks lost.",
                remedy: "do what the checks roles and walls say, and run islet doctor again")
        ]
    }

    static func findings(_ hold: LogHold?, _ inconsistencies: [LogInconsistency]) -> [Finding] {
        let held = hold.map { hold in
            Finding(
                what: "nothing is folded, sent or answered: \(LogExplanation.why(hold))",
                meaning: "Every call of the API gets 503 log-held, and phones and webhooks get "
                    + "nothing.",
                remedy: LogExplanation.remedy)
        }
        return (held.map { [$0] } ?? [])
            + inconsistencies.map { inconsistency in
                Finding(
                    what: LogExplanation.line(inconsistency),
                    meaning: "What the database has is not of one moment: no server starts with "
                        + "it, and islet restore accept refuses it.",
                    remedy: LogExplanation.remedy(of: inconsistencies))
            }
    }
}
