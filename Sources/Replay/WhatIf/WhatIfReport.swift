public import Domain

/// What another policy would have made of the past.
public struct WhatIfReport: Hashable, Codable, Sendable {
    /// What was decided under one policy.
    public struct Side: Hashable, Codable, Sendable {
        /// Decisions that push.
        public var decisions = 0
        /// Pushes that a phone gets when nothing but the pace makes them wait: what waits goes with
        /// whatever comes before its time.
        public var pushes = 0
        /// Decisions at priority 10, for phones in general.
        public var immediate = 0
        /// Decisions with an alert: one may carry several.
        public var alerts = 0
        /// The budget of priority 10 was spent, so they went at priority 5.
        public var lowered = 0
        /// They had to wait for the pace.
        public var held = 0
        /// They went together with others.
        public var merged = 0
        /// Bytes of the states and texts that are sent, for one phone that is set to English.
        public var bytes = 0
        /// Activities whose budget of priority 10 was spent at some time.
        public var activitiesOverBudget = 0

        mutating func add(_ other: Side) {
            decisions += other.decisions
            pushes += other.pushes
            immediate += other.immediate
            alerts += other.alerts
            lowered += other.lowered
            held += other.held
            merged += other.merged
            bytes += other.bytes
            activitiesOverBudget += other.activitiesOverBudget
        }
    }

    /// What changed for alerts.
    public struct Changes: Hashable, Codable, Sendable {
        public var added = 0
        public var removed = 0
        /// Alerts that another decision sends than before.
        public var moved = 0
        /// Alerts that go at the same time with another text, in whatever language.
        public var reworded = 0
        /// Alerts that quiet hours still keep back when the known past ends.
        public var keptBack = 0

        public var total: Int { added + removed + moved + reworded + keptBack }

        public mutating func add(_ other: Changes) {
            added += other.added
            removed += other.removed
            moved += other.moved
            reworded += other.reworded
            keptBack += other.keptBack
        }
    }

    public struct Affected: Hashable, Codable, Sendable {
        public var activity: String
        public var kind: String
        public var changes: Changes
        public var pushes: Int
        public var pushesTried: Int
        /// Versions of the first changes, in words such as `7 removed`.
        public var examples: [String]
    }

    public var tenant: String
    /// Events that were gone through, from where on the policy is tried. Of one kind those of its
    /// activities, but for what the clock reports after an end.
    public var events = 0
    public var activities = 0
    /// Left out from an event on that cannot be folded.
    public var activitiesLeftOut = 0
    public var changes = Changes()
    /// What of the policy is tried in part only, by kinds: the clock goes by it, and its reports
    /// are those that were recorded.
    public var triedInPart: [String: [String]] = [:]
    public var activitiesAffected = 0
    /// As it was, with the program's rules of now.
    public var before = Side()
    /// With the policy that is tried.
    public var after = Side()
    public var mostAffected: [Affected] = []

    public init(tenant: String, triedInPart: [String: [String]] = [:]) {
        self.tenant = tenant
        self.triedInPart = triedInPart
    }

    /// Adds what one activity gave.
    public mutating func add(
        _ found: BothPolicies.Result, of activity: ActivityID, _ kind: String
    ) {
        activities += 1
        before.add(found.before)
        after.add(found.after)
        guard found.before != found.after || found.changes.total > 0 else { return }
        activitiesAffected += 1
        changes.add(found.changes)
        rank(
            Affected(
                activity: activity.rawValue, kind: kind, changes: found.changes,
                pushes: found.before.pushes, pushesTried: found.after.pushes,
                examples: found.examples))
    }

    /// Adds what another share of the activities gave.
    mutating func add(_ other: WhatIfReport) {
        events += other.events
        activities += other.activities
        activitiesLeftOut += other.activitiesLeftOut
        changes.add(other.changes)
        activitiesAffected += other.activitiesAffected
        before.add(other.before)
        after.add(other.after)
        for affected in other.mostAffected { rank(affected) }
    }

    /// Keeps the activity if it is among the most affected.
    mutating func rank(_ affected: Affected) {
        func key(_ one: Affected) -> (Int, Int, String) {
            (-one.changes.total, -abs(one.pushes - one.pushesTried), one.activity)
        }
        let place = mostAffected.firstIndex { key(affected) < key($0) } ?? mostAffected.count
        guard place < Limits.affectedNamed else { return }
        mostAffected.insert(affected, at: place)
        if mostAffected.count > Limits.affectedNamed { mostAffected.removeLast() }
    }
}
