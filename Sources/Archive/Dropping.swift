public import Domain
public import EventStore

/// Lets go of what has ended and is archived, a few activities at a time.
public enum Dropping {
    /// - Parameters:
    ///   - directory: of the tenant's archives. What the ledger and the cards said is written there
    ///     before it goes.
    ///   - report: called with how many activities are gone.
    public static func run(
        _ store: any RetentionStore, _ tenant: TenantID, _ retention: Retention,
        in directory: String, report: @Sendable (DroppedActivities) -> Void
    ) async throws(ArchiveError) -> DroppedActivities {
        let files = ArchiveFiles(Layout(directory))
        let result: Result<DroppedActivities, ArchiveError>
        do throws(ArchiveError) {
            try await files.makeDirectory()
            result = .success(try await run(store, tenant, retention, into: files, report))
        } catch { result = .failure(error) }
        await files.close()
        return try result.get()
    }

    private static func run(
        _ store: any RetentionStore, _ tenant: TenantID, _ retention: Retention,
        into files: ArchiveFiles, _ report: @Sendable (DroppedActivities) -> Void
    ) async throws(ArchiveError) -> DroppedActivities {
        var total = DroppedActivities()
        var place: ActivityID?
        repeat {
            try Interruption.check()
            let page: DroppablePage
            do throws(EventStoreError) {
                page = try await store.droppable(tenant, retention, after: place)
            } catch { throw .store(error) }
            var rest = page.activities[...]
            while !rest.isEmpty {
                try Interruption.check()
                let few = Array(rest.prefix(Limits.activitiesDroppedAtOnce))
                rest = rest.dropFirst(few.count)
                let dropped = try await drop(few, store, tenant, files)
                total.activities += dropped.activities
                total.events += dropped.events
                report(total)
                // What goes must not keep what is recorded waiting.
                try? await Task.sleep(for: .milliseconds(Limits.dropRestMillis))
            }
            place = page.last
        } while place != nil
        return total
    }

    private static func drop(
        _ activities: [DroppableActivity], _ store: any RetentionStore, _ tenant: TenantID,
        _ files: ArchiveFiles
    ) async throws(ArchiveError) -> DroppedActivities {
        let records: [String]
        do throws(EventStoreError) {
            records = try await store.records(tenant, activities)
        } catch { throw .store(error) }
        let lines = records.map { "\($0)\n" }.joined()
        try await files.append(Array(lines.utf8), toEndOf: "ledger.ndjson")
        do throws(EventStoreError) { return try await store.drop(tenant, activities) } catch {
            throw .store(error)
        }
    }
}
