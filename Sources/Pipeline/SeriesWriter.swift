public import Domain
public import EventStore

/// Writes down every few seconds what this node has counted, and how far behind folding is.
public struct SeriesWriter: Sendable {
    private let store: EventStore
    private let counter: SeriesCounter
    private let now: @Sendable () -> Moment
    private let report: @Sendable (EventStoreError) -> Void

    /// - Parameter report: called with each failure; the writer carries on by itself, and what
    ///   could not be written is written later.
    public init(
        store: EventStore, counter: SeriesCounter, now: @escaping @Sendable () -> Moment,
        report: @escaping @Sendable (EventStoreError) -> Void
    ) {
        self.store = store
        self.counter = counter
        self.now = now
        self.report = report
    }

    /// Writes until its task is cancelled. What was counted since the last time is lost then: a few
    /// seconds of a chart.
    public func run() async {
        var writesLeft = 0
        while !Task.isCancelled {
            try? await Task.sleep(for: .seconds(Limits.seriesWriteSeconds))
            guard !Task.isCancelled else { return }
            await write()
            if writesLeft == 0 {
                await prune()
                writesLeft = Limits.seriesWritesPerPrune
            }
            writesLeft -= 1
        }
    }

    public func write() async {
        do throws(EventStoreError) {
            for lag in try await store.upkeep.lags() {
                counter.note(lag.tenant) {
                    $0.add(Int64(lag.waitedSeconds * 1_000), SeriesCounts.lag)
                }
            }
        } catch { tell(error) }
        let rows = counter.take()
        do throws(EventStoreError) { try await store.series.add(rows) } catch {
            counter.giveBack(rows)
            tell(error)
        }
    }

    private func prune() async {
        do throws(EventStoreError) { try await store.series.prune(now()) } catch { tell(error) }
    }

    private func tell(_ error: EventStoreError) {
        if !Task.isCancelled { report(error) }
    }
}
