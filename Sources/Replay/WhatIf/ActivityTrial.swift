public import Domain
import Projections

/// What another policy would have made of one activity's past, for those who read its events page
/// by page. It goes the same way as the walk through a whole log.
public final class ActivityTrial {
    /// An alert that phones were sent.
    public struct Told: Hashable, Sendable {
        public var version: Int64
        public var at: Moment
        /// In other languages too where the policies have other texts.
        public var alert: Alert
    }

    public struct Result: Sendable {
        public var before = WhatIfReport.Side()
        public var after = WhatIfReport.Side()
        public var changes = WhatIfReport.Changes()
        /// The first ones.
        public var toldBefore: [Told] = []
        /// Likewise.
        public var toldAfter: [Told] = []
        /// From some event on it could not be folded.
        public var isLeftOut = false
    }

    private let policies: PolicyPair
    private let skipped: Set<Int64>
    private let alertsListed: Int
    private var both: BothPolicies?
    private var standing = BothPolicies.Standing.underWay

    /// - Parameters:
    ///   - skipped: positions of its events that an operator left out.
    ///   - alertsListed: how many alerts of each side are listed.
    public init(_ policies: PolicyPair, skipped: Set<Int64> = [], alertsListed: Int) {
        self.policies = policies
        self.skipped = skipped
        self.alertsListed = alertsListed
    }

    /// Takes the activity's next events, the first ones first.
    /// - Returns: false when nothing that comes later counts.
    public func take(_ events: [RecordedEvent]) -> Bool {
        for event in events where !skipped.contains(event.position) {
            // Nobody waits for it any more.
            if Task.isCancelled { return false }
            standing = event.inPlace { take($0) }
            guard case .underWay = standing else { return false }
        }
        return true
    }

    private func take(_ event: EventInPlace) -> BothPolicies.Standing {
        if let both { return both.take(event) }
        do throws(FoldError) {
            let begun = try BothPolicies(
                before: event, try BothPolicies.kind(of: event), policies,
                alertsListed: alertsListed)
            both = begun
            return begun.take(event)
        } catch { return .leftOut }
    }

    /// Of the events that were taken so far.
    public func result() -> Result {
        var result = Result()
        if case .leftOut = standing { result.isLeftOut = true }
        guard let tally = both?.tally else { return result }
        let found = tally.result()
        (result.before, result.after, result.changes) = (found.before, found.after, found.changes)
        (result.toldBefore, result.toldAfter) = (tally.listedBefore, tally.listedAfter)
        return result
    }
}
