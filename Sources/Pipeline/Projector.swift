public import EventStore

/// Follows the logs of all tenants and keeps snapshots and decisions up to date.
///
/// Any number may run, on one node or many: the store hands a tenant to one of them at a time.
public struct Projector: Sendable {
    /// Events folded in one transaction.
    public static let batchEventsMax = 500
    /// How often to look although nothing was announced: a lost notification costs this much.
    public static let pollSeconds = 1

    private let store: EventStore
    private let report: @Sendable (EventStoreError) -> Void

    /// - Parameter report: told about each failure; the projector carries on by itself.
    public init(store: EventStore, report: @escaping @Sendable (EventStoreError) -> Void) {
        self.store = store
        self.report = report
    }

    /// Runs until its task is cancelled.
    public func run() async {
        let news = store.news(about: [.appended])
        await withTaskGroup(of: Void.self) { group in
            let (wakeUps, waker) = AsyncStream.makeStream(
                of: Void.self, bufferingPolicy: .bufferingNewest(1))
            group.addTask {
                for await _ in news { waker.yield() }
            }
            group.addTask {
                while !Task.isCancelled {
                    try? await Task.sleep(for: .seconds(Self.pollSeconds))
                    waker.yield()
                }
                waker.finish()
            }
            waker.yield()
            for await _ in wakeUps { await drain() }
            group.cancelAll()
        }
    }

    /// Folds all that is there.
    /// - Returns: the number of events folded.
    @discardableResult
    public func drain() async -> Int {
        var total = 0
        while !Task.isCancelled {
            do {
                let folded = try await store.projections.foldNext(
                    Self.batchEventsMax, BatchFolder.fold)
                if folded == 0 { return total }
                total += folded
            } catch {
                if !Task.isCancelled { report(error) }
                return total
            }
        }
        return total
    }
}
