public import Domain
public import Projections
import PushDispatch

/// What another policy would have made of one activity's past, for whoever has its events at hand.
public struct ActivityTrial: Sendable {
    /// An alert that phones were sent.
    public struct Told: Hashable, Sendable {
        public var version: Int64
        public var at: Moment
        public var title: String
        public var body: String
    }

    public private(set) var before = WhatIfReport.Side()
    public private(set) var after = WhatIfReport.Side()
    public private(set) var changes = WhatIfReport.Changes()
    public private(set) var toldBefore: [Told] = []
    public private(set) var toldAfter: [Told] = []
    /// From some event on it could not be folded.
    public private(set) var isLeftOut = false

    /// - Parameters:
    ///   - events: all of the activity's, in their order.
    ///   - own: what was in force.
    ///   - tried: the same with another policy.
    public static func run(
        _ events: [RecordedEvent], own: PolicyBook, tried: PolicyBook
    ) -> ActivityTrial {
        var trial = ActivityTrial()
        var tally = AlertTally()
        var (mine, theirs): (Snapshot?, Snapshot?)
        for event in events {
            do throws(FoldError) {
                let first = try ActivityStep.apply(event, to: mine, under: own)
                let second = try ActivityStep.apply(event, to: theirs, under: tried)
                (mine, theirs) = (first.snapshot, second.snapshot)
                tally.note(first.decision, second.decision)
                trial.toldBefore += told(first.decision)
                trial.toldAfter += told(second.decision)
            } catch {
                trial.isLeftOut = true
                break
            }
        }
        let result = tally.result()
        (trial.before, trial.after, trial.changes) = (result.before, result.after, result.changes)
        return trial
    }

    private static func told(_ decision: Decision) -> [Told] {
        guard decision.verdict.pushes, let alert = decision.alert else { return [] }
        return [
            Told(
                version: decision.version, at: decision.decidedAt, title: alert.title,
                body: alert.body)
        ]
    }
}
