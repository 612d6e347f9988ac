import Domain
import EventStore
import Pipeline
import Replay
import StoreTestSupport
import Synchronization
import Testing
import TestSupport

// What goes on beside a walk.

extension RecordedStory {
    /// A history to which something happens about when its first page is read.
    /// - Parameter disturbed: given what reads the page.
    func disturbedHistory(
        _ disturbed:
            @escaping @Sendable (
                _ read: @Sendable () async throws -> HistoryPage
            ) async throws -> HistoryPage
    ) -> History {
        let isFirst = Mutex(true)
        var disturbedHistory = history
        let read = disturbedHistory.page
        disturbedHistory.page = { (positions) async throws(ReplayError) in
            let isDisturbed = isFirst.withLock { (isFirst) -> Bool in
                defer { isFirst = false }
                return isFirst
            }
            guard isDisturbed else { return try await read(positions) }
            do { return try await disturbed { try await read(positions) } } catch {
                throw .export("\(error)")
            }
        }
        return disturbedHistory
    }

    /// Leaves an activity as if it had ended, with all that it had to send.
    func end(_ activity: ActivityID) async throws {
        try await database.alter(
            """
            UPDATE snapshot SET phase = 'ended', due_at = NULL
            WHERE activity_id = '\(activity.rawValue)';
            UPDATE decision SET settled_at = now(), carried_by = version, accepted = 0, failed = 0
            WHERE settled_at IS NULL
            """)
    }

    /// Archives the log, without files, and drops an activity.
    func drop(_ activity: ActivityID) async throws {
        let through = try await store.log.head(tenant.id)
        try await store.retention.note(
            LogArchive(after: 0, through: through, place: "/archive", chain: "c"), of: tenant.id)
        let later = Moment(unixSeconds: 4_000_000_000)
        let dropped = try await store.retention.drop(
            tenant.id, [DroppableActivity(id: activity, before: later)])
        try #require(dropped.activities == 1)
    }

    func erase(_ activity: ActivityID) async throws {
        let outcome = try await store.erasure.erase(tenant.id, activity, Erasing.rewrite).get()
        try #require(!outcome.isEmpty)
    }
}
