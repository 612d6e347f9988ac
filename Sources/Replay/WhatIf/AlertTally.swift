import Domain

/// What one activity's phones were sent under two policies.
struct AlertTally {
    struct Result {
        var before: WhatIfReport.Side
        var after: WhatIfReport.Side
        var changes: WhatIfReport.Changes
        /// The first few changes, by version.
        var examples: [String]
    }

    /// By the version that had something to say: which version carried it, and how.
    private typealias Told = [Int64: (by: Int64, words: Alert.Words)]

    private var before = WhatIfReport.Side()
    private var after = WhatIfReport.Side()
    private var toldBefore: Told = [:]
    private var toldAfter: Told = [:]
    private var waitingBefore: Waiting?
    private var waitingAfter: Waiting?

    /// A push that has been counted and has not gone out yet.
    private struct Waiting {
        var until: Moment
        var bytes: Int
    }

    /// - Parameters: the decisions about one event; nil for one that is held back as unchanged.
    mutating func note(_ mine: Decision?, _ theirs: Decision?) {
        if let mine {
            Self.count(mine, &before, &waitingBefore)
            Self.tell(mine, &toldBefore)
        }
        if let theirs {
            Self.count(theirs, &after, &waitingAfter)
            Self.tell(theirs, &toldAfter)
        }
    }

    private static func count(
        _ decision: Decision, _ side: inout WhatIfReport.Side, _ waiting: inout Waiting?
    ) {
        guard decision.verdict.pushes, let order = decision.order else { return }
        side.pushes += 1
        if order.isImmediate(for: .standard) { side.immediate += 1 }
        switch order.step {
        case .lowered: side.lowered += 1
        case .held: side.held += 1
        case .merged: side.merged += 1
        case .asWanted: break
        }
        var bytes = decision.contentState.count
        if let alert = decision.alert {
            side.alerts += 1
            bytes += alert.title.utf8.count + alert.body.utf8.count
        }
        // The newest state takes the place of one that waits.
        if let known = waiting, known.until > decision.decidedAt {
            side.bytes -= known.bytes
        } else {
            side.sent += 1
        }
        side.bytes += bytes
        waiting = order.sendAfter.map { Waiting(until: $0, bytes: bytes) }
    }

    private static func tell(_ decision: Decision, _ told: inout Told) {
        guard decision.verdict.pushes, let alert = decision.alert else { return }
        let carried = decision.news?.carried ?? []
        for kept in carried { told[kept.version] = (decision.version, kept.alert.words(for: nil)) }
        if !carried.contains(where: { $0.alert == alert }) {
            told[decision.version] = (decision.version, alert.words(for: nil))
        }
    }

    func result() -> Result {
        var result = Result(before: before, after: after, changes: .init(), examples: [])
        result.before.activitiesOverBudget = before.lowered > 0 ? 1 : 0
        result.after.activitiesOverBudget = after.lowered > 0 ? 1 : 0
        for version in Set(toldBefore.keys).union(toldAfter.keys).sorted() {
            let what: String
            switch (toldBefore[version], toldAfter[version]) {
            case (nil, _):
                result.changes.added += 1
                what = "\(version) added"
            case (_, nil):
                result.changes.removed += 1
                what = "\(version) removed"
            case (let old?, let new?) where old.by != new.by:
                result.changes.moved += 1
                what = "\(version) moved from \(old.by) to \(new.by)"
            case (let old?, let new?) where old.words != new.words:
                result.changes.reworded += 1
                what = "\(version) reworded"
            case (_?, _?): continue
            }
            if result.examples.count < Self.examplesMax { result.examples.append(what) }
        }
        return result
    }

    private static let examplesMax = 3
}
