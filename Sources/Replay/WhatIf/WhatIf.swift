public import Domain
import Projections

/// Goes through a tenant's whole past with another policy, and says what would have been different.
public struct WhatIf {
    /// - Parameters:
    ///   - since: position from which on the policy is tried and counted.
    ///   - kind: only activities of this kind are looked at.
    /// - Throws: `.changedMeanwhile` when activities were dropped or erased before it was done.
    public static func run(
        _ history: History, trying trial: PolicyTrial, since: Int64 = 1, kind: String? = nil,
        progress: @escaping ReplayProgress = { _, _ in }
    ) async throws(ReplayError) -> WhatIfReport {
        let stored = try await history.policies()
        let skipped = try await history.skipped()
        let mark = try await history.mark()
        let kinds = kind.map { [$0] } ?? ActivityCatalog.standard.kinds.map { $0.name }
        let count = LogWalk.walkers
        // Policies of its own for each, as what threads share they count in turns.
        let pairs = try (0..<count).map { (_) throws(ReplayError) in
            let book = try PolicyBook(replaying: stored)
            let tried = try book.trying(trial, from: since, over: stored)
            return PolicyPair(own: book, tried: tried, kinds: kinds, since: since)
        }
        let walkers = pairs.enumerated().map { index, pair in
            WhatIfWalker(
                share: (index: index, count: count), tenant: history.tenant, pair, kind: kind,
                skipped: skipped)
        }
        try await LogWalk.run(
            walkers, over: history, through: try await history.end(), completing: { $0 },
            progress: progress)
        try await history.requireUnchanged(since: mark)
        var report = WhatIfReport(
            tenant: history.tenant, triedInPart: pairs.first?.triedInPart ?? [:])
        for walker in walkers { report.add(await walker.finish()) }
        return report
    }

    /// - Returns: the position that a place names; for a time the first that was recorded then or
    ///   later.
    public static func position(
        of place: HistoryPlace, in history: History
    ) async throws(ReplayError) -> Int64 {
        switch place {
        case .number(let position): position
        case .moment(let moment): try await position(of: moment, in: history)
        }
    }

    /// - Returns: the first position that was recorded at a time or later.
    public static func position(
        of moment: Moment, in history: History
    ) async throws(ReplayError) -> Int64 {
        // Times of recording never decrease, so the log can be searched by halves.
        var low = history.after + 1
        var high = try await history.end() + 1
        while low < high {
            let middle = low + (high - low) / 2
            let place = try await history.firstPlace(in: middle...high - 1)
            if let place, place.recordedAt < moment {
                low = place.position + 1
            } else {
                high = middle
            }
        }
        return low
    }
}

extension History {
    /// - Returns: the place of the first event of a stretch, which may have gaps where activities
    ///   were dropped; nil when there is none.
    fileprivate func firstPlace(
        in positions: ClosedRange<Int64>
    ) async throws(ReplayError) -> EventPlace? {
        var first = positions.lowerBound
        var count: Int64 = 1
        while first <= positions.upperBound {
            let last = min(first + count - 1, positions.upperBound)
            let page = try await page(first...last)
            if !page.indices.isEmpty { return page.place(page.indices.lowerBound) }
            first = last + 1
            // Few gaps are long.
            count = min(2 * count, Limits.walkPageEvents)
        }
        return nil
    }
}
