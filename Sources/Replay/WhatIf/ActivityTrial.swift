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
        guard let first = events.first else { return trial }
        do throws(FoldError) {
            var mine = try JudgedActivity(before: first, own)
            var theirs = try JudgedActivity(before: first, tried)
            for event in events {
                // Nobody waits for it any more.
                if Task.isCancelled { break }
                let (before, after) = (try mine.decide(event), try theirs.decide(event))
                tally.note(before, after)
                trial.toldBefore += told(before)
                trial.toldAfter += told(after)
            }
        } catch {
            trial.isLeftOut = true
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

/// An activity under one policy, in memory from its first event on.
private struct JudgedActivity {
    private let fold: AssessingFold
    private let book: PolicyBook
    private var machine = DispatchMachine()

    init(before first: RecordedEvent, _ book: PolicyBook) throws(FoldError) {
        fold = try first.inPlace { (event) throws(FoldError) in
            try AssessingFold(before: event, isTranslated: false)
        }
        self.book = book
    }

    mutating func decide(_ event: RecordedEvent) throws(FoldError) -> Decision {
        let change = try event.inPlace { (event) throws(FoldError) in
            try fold.fold(event, under: book)
        }
        return machine.changed(change)
    }
}
