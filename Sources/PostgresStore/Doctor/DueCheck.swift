import Domain
import EventStore
import Postgres

/// Whether somebody brings about what time brings about.
enum DueCheck {
    static let check = DoctorCheck("clock", needs: .work) {
        (scene) async throws(PostgresError) in
        let now = try await scene.pool.time()
        let due: [DueActivity]
        do throws(EventStoreError) {
            due = try await PostgresClockStore(pool: scene.pool).due(now, nil, 1)
        } catch { return .init(error) }
        guard let first = due.first else { return .fine("nothing is overdue") }
        let late = now.seconds(since: first.place.dueAt)
        guard late > scene.lagSecondsMax else { return .fine("runs") }
        return .findings([finding(lateSeconds: late)])
    }

    static func finding(lateSeconds: Double) -> Finding {
        Finding(
            what: "something has been due for \(Int(lateSeconds)) s",
            meaning: "Cards do not become stale, quiet hours do not end, and nothing is dismissed.",
            remedy: "start a node with --role projector, which runs the clock")
    }
}
