import DeliveryRules
public import Domain
import Projections

/// One activity under the policy that it had and under the one that is tried: decided about twice,
/// and folded once where both policies judge alike.
public final class BothPolicies {
    /// An alert that phones were sent.
    public struct SentAlert: Hashable, Sendable {
        public var version: Int64
        public var at: Moment
        /// Its text; in other languages too where the policies have other texts.
        public var alert: Alert
    }

    public struct Result: Sendable {
        public var before = WhatIfReport.Side()
        public var after = WhatIfReport.Side()
        public var changes = WhatIfReport.Changes()
        /// The first few changes, by version.
        public var examples: [String] = []
        /// The first alerts under the policy that it had.
        public var alertsBefore: [SentAlert] = []
        /// The first alerts under the policy that is tried.
        public var alertsAfter: [SentAlert] = []
        /// From some event on it could not be folded.
        public var isLeftOut = false
    }

    enum Progress {
        case underWay
        /// Under both policies; nothing comes any more.
        case ended
        /// An event cannot be folded, and so nothing that comes after it.
        case leftOut
    }

    /// Empty before its first event.
    private(set) var kind = ""
    private let policies: PolicyPair
    /// Nil before its first event.
    private var fold: AssessingFold?
    /// Under the policy that is tried; nil where `fold` says the same.
    private var triedFold: AssessingFold?
    private var machine = DispatchMachine()
    private var triedMachine = DispatchMachine()
    /// The earlier of both machines'. Noted, as each event asks for it and few change it.
    private var skipsUnchangedUntil = DispatchMachine().skipsUnchangedUntil
    private var tally: AlertTally
    private var progress = Progress.underWay
    private(set) var isCounted = false

    /// An activity before its first event.
    /// - Parameter alertsListed: how many alerts of each side are listed.
    public init(_ policies: PolicyPair, alertsListed: Int = 0) {
        self.policies = policies
        tally = AlertTally(listedMax: alertsListed)
    }

    /// Takes the activity's next events, the first ones first.
    /// - Parameter skipped: positions of events that an operator left out.
    /// - Returns: false when nothing that comes later counts.
    public func take(_ events: [RecordedEvent], without skipped: Set<Int64>) -> Bool {
        for event in events where !skipped.contains(event.position) {
            // Nobody waits for it any more.
            if Task.isCancelled { return false }
            guard case .underWay = event.withBorrowedEvent({ take($0) }) else { return false }
        }
        return true
    }

    /// The result of the events that were taken so far.
    public var result: Result {
        var result = tally.result()
        if case .leftOut = progress { result.isLeftOut = true }
        return result
    }

    /// Takes the activity's next event.
    func take(_ event: BorrowedEvent) -> Progress {
        do throws(FoldError) {
            if fold == nil { try begin(before: event) }
            try judge(event)
            progress = machine.hasEnded && triedMachine.hasEnded ? .ended : .underWay
        } catch {
            // What another kind reports is parked alone.
            if case .kindMismatch = error { return .underWay }
            progress = .leftOut
        }
        return progress
    }

    private func begin(before first: BorrowedEvent) throws(FoldError) {
        let type = first.typeName
        guard let kind = ActivityCatalog.standard.kind(ofEventType: type)?.name else {
            throw .unknownKind(type)
        }
        self.kind = kind
        let isTranslated = policies.kindsReworded.contains(kind)
        fold = try AssessingFold(.first(first), isTranslated: isTranslated)
        if !policies.kindsAlike.contains(kind) {
            triedFold = try AssessingFold(.first(first), isTranslated: isTranslated)
        }
    }

    /// What is not assessed is held as unchanged, which no figure counts.
    private func judge(_ event: BorrowedEvent) throws(FoldError) {
        let skips = event.recordedAt < skipsUnchangedUntil
        var mine: Decision?
        var theirs: Decision?
        if var change = try fold?.fold(event, under: policies.own, skipsUnchanged: skips) {
            var fingerprint: UInt64?
            mine = machine.decide(about: change, fingerprint: &fingerprint)
            if triedFold == nil {
                // In place: a copy takes as long as deciding about it.
                change.policy = policies.tried.policy(ofKind: kind, at: event.position)
                theirs = triedMachine.decide(about: change, fingerprint: &fingerprint)
            }
        }
        if let change = try triedFold?.fold(event, under: policies.tried, skipsUnchanged: skips) {
            theirs = triedMachine.decide(about: change)
        }
        skipsUnchangedUntil = min(machine.skipsUnchangedUntil, triedMachine.skipsUnchangedUntil)
        guard event.position >= policies.since else { return }
        isCounted = true
        tally.note(mine, theirs)
    }
}
