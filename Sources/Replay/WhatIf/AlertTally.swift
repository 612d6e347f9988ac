import Domain

/// What one activity's phones were sent under two policies.
struct AlertTally {
    private var before = WhatIfReport.Side()
    private var after = WhatIfReport.Side()
    private var toldBefore: Told
    private var toldAfter: Told
    private var waitingBefore: Waiting?
    private var waitingAfter: Waiting?

    /// What was said.
    fileprivate struct Told {
        /// By the version that had something to say: which version carried it, and how.
        var alerts: [Int64: (by: Int64, alert: Alert)] = [:]
        /// Versions whose alerts wait for the end of quiet hours.
        var keptBack: Set<Int64> = []
        /// The first ones, for those who show them.
        var listed: [BothPolicies.Told] = []
        let listedMax: Int

        init(listedMax: Int) { self.listedMax = listedMax }
    }

    /// A push that has been counted and has not gone out yet.
    private struct Waiting {
        var until: Moment
        var bytes: Int
    }

    /// - Parameter listedMax: how many alerts of each side are listed.
    init(listedMax: Int = 0) {
        toldBefore = Told(listedMax: listedMax)
        toldAfter = toldBefore
    }

    /// - Parameters: the decisions about one event; nil for one that is held back as unchanged.
    mutating func note(_ mine: Decision?, _ theirs: Decision?) {
        if let mine {
            Self.count(mine, &before, &waitingBefore)
            toldBefore.take(mine)
        }
        if let theirs {
            Self.count(theirs, &after, &waitingAfter)
            toldAfter.take(theirs)
        }
    }

    private static func count(
        _ decision: Decision, _ side: inout WhatIfReport.Side, _ waiting: inout Waiting?
    ) {
        guard decision.verdict.pushes, let order = decision.order else { return }
        side.decisions += 1
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
            bytes += alert.bytesSent
        }
        // The newest state takes the place of one that waits.
        if let known = waiting, known.until > decision.decidedAt {
            side.bytes -= known.bytes
        } else {
            side.pushes += 1
        }
        side.bytes += bytes
        waiting = order.sendAfter.map { Waiting(until: $0, bytes: bytes) }
    }
}

extension AlertTally.Told {
    mutating func take(_ decision: Decision) {
        if let news = decision.news {
            if news.silence == .quietHours { keptBack.insert(decision.version) }
            keptBack.subtract(news.dropped)
            keptBack.subtract(news.carried.map(\.version))
        }
        guard decision.verdict.pushes, let alert = decision.alert else { return }
        let carried = decision.news?.carried ?? []
        for kept in carried { alerts[kept.version] = (decision.version, kept.alert) }
        if !carried.contains(where: { $0.alert == alert }) {
            alerts[decision.version] = (decision.version, alert)
        }
        guard listed.count < listedMax else { return }
        listed.append(
            BothPolicies.Told(version: decision.version, at: decision.decidedAt, alert: alert))
    }
}

extension AlertTally {
    func result() -> BothPolicies.Result {
        var result = BothPolicies.Result(
            before: before, after: after, toldBefore: toldBefore.listed,
            toldAfter: toldAfter.listed)
        result.before.activitiesOverBudget = before.lowered > 0 ? 1 : 0
        result.after.activitiesOverBudget = after.lowered > 0 ? 1 : 0
        let versions = Set(toldBefore.alerts.keys).union(toldAfter.alerts.keys)
        for version in versions.sorted() {
            guard let what = change(of: version, &result.changes) else { continue }
            if result.examples.count < Self.examplesMax {
                result.examples.append("\(version) \(what)")
            }
        }
        return result
    }

    /// - Returns: what changed for a version's alert; nil when it stays as it was.
    private func change(
        of version: Int64, _ changes: inout WhatIfReport.Changes
    ) -> String? {
        switch (toldBefore.alerts[version], toldAfter.alerts[version]) {
        case (nil, let new?) where toldBefore.keptBack.contains(version):
            changes.moved += 1
            return "moved from the end of quiet hours to \(new.by)"
        case (nil, _):
            changes.added += 1
            return "added"
        case (_, nil) where toldAfter.keptBack.contains(version):
            changes.keptBack += 1
            return "kept back"
        case (_, nil):
            changes.removed += 1
            return "removed"
        case (let old?, let new?) where old.by != new.by:
            changes.moved += 1
            return "moved from \(old.by) to \(new.by)"
        case (let old?, let new?) where !old.alert.reads(like: new.alert):
            changes.reworded += 1
            return "reworded"
        case (_?, _?): return nil
        }
    }

    private static let examplesMax = 3
}

extension Alert {
    /// Whether a phone shows the same, whatever language it is set to.
    fileprivate func reads(like other: Alert) -> Bool {
        // What an app says by its keys is in none of the languages here.
        if let keys, let others = other.keys { return keys == others }
        guard keys == nil, other.keys == nil, title == other.title, body == other.body else {
            return false
        }
        return Set(languages).union(other.languages).allSatisfy {
            words(for: $0.rawValue) == other.words(for: $0.rawValue)
        }
    }

    /// Of its words in the standard language, or of its keys and what fills their places.
    fileprivate var bytesSent: Int {
        guard let keys else { return title.utf8.count + body.utf8.count }
        return keys.title.bytesSent + keys.body.bytesSent
    }
}

extension AppText {
    fileprivate var bytesSent: Int {
        switch self {
        case .plain(let text): text.utf8.count
        case .key(let key, let arguments):
            arguments.reduce(key.utf8.count) { $0 + $1.utf8.count }
        }
    }
}
