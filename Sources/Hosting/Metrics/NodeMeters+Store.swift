import Domain
import EventLoop
import EventStore
import Terminal

extension NodeMeters: StoreObserver {
    func appending() { appends.withLock { $0.waiting += 1 } }

    func appended(_ append: ObservedAppend) {
        let taken = ContinuousClock.now - append.began
        appends.withLock { meter in
            meter.waiting -= 1
            if case .success(let results) = append.result { meter.note(results, taken) }
        }
    }

    func folded(_ fold: FoldedBatch) {
        // By the database's clock, which has dated the events.
        let ahead = clockAheadSeconds.withLock { $0 ?? 0 }
        let now = WallClock.now().adding(seconds: -ahead)
        folds.withLock { meter in
            for event in fold.batch.events {
                meter.seconds.note(now.seconds(since: event.recordedAt))
            }
            meter.note(fold.result)
        }
    }
}
