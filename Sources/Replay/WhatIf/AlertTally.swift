import Domain

/// What one activity's phones were sent under two policies.
struct AlertTally {
    private var before: Sent
    private var after: Sent

    /// What they were sent under one policy.
    fileprivate struct Sent {
        var figures = WhatIfReport.Side()
        /// By the version that had something to say: which version carried it, and how.
        var alerts: [Int64: (by: Int64, alert: Alert)] = [:]
        /// Versions whose alerts wait for the end of quiet hours.
        var keptBack: Set<Int64> = []
        /// The first ones, for those who show them.
        var listed: [BothPolicies.SentAlert] = []
        let listedMax: Int
        /// A push that has been counted and has not gone out yet.
        private var waiting: (until: Moment, bytes: Int)?

        init(listedMax: Int) { self.listedMax = listedMax }
    }

    /// - Parameter listedMax: how many alerts of each side are listed.
    init(listedMax: Int = 0) {
        before = Sent(listedMax: listedMax)
        after = before
    }

    /// - Parameters: the decisions about one event; nil for one that is held as unchanged.
    mutating func note(_ mine: Decision?, _ theirs: Decision?) {
        if let mine { before.take(mine) }
        if let theirs { after.take(theirs) }
    }
}

extension AlertTally.Sent {
    mutating func take(_ decision: Decision) {
        count(decision)
        if let alertContext = decision.alertContext {
            if alertContext.silence == .quietHours { keptBack.insert(decision.version) }
            keptBack.subtract(alertContext.dropped)
            keptBack.subtract(alertContext.carried.map(\.version))
        }
        guard decision.verdict.pushes, let alert = decision.alert else { return }
        let carried = decision.alertContext?.carried ?? []
        for kept in carried { alerts[kept.version] = (decision.version, kept.alert) }
        if !carried.contains(where: { $0.alert == alert }) {
            alerts[decision.version] = (decision.version, alert)
        }
        guard listed.count < listedMax else { return }
        listed.append(
            BothPolicies.SentAlert(version: decision.version, at: decision.decidedAt, alert: alert))
    }

    private mutating func count(_ decision: Decision) {
        guard decision.verdict.pushes, let order = decision.order else { return }
        figures.decisions += 1
        if order.isImmediate(for: .standard) { figures.immediate += 1 }
        switch order.treatment {
        case .lowered:
            figures.lowered += 1
            figures.activitiesOverBudget = 1
        case .held: figures.held += 1
        case .merged: figures.merged += 1
        case .asWanted: break
        }
        var bytes = decision.contentState.count
        if let alert = decision.alert {
            figures.alerts += 1
            bytes += alert.bytesSent
        }
        // The newest state takes the place of one that waits.
        if let waiting, waiting.until > decision.decidedAt {
            figures.bytes -= waiting.bytes
        } else {
            figures.pushes += 1
        }
        figures.bytes += bytes
        waiting = order.sendAfter.map { (until: $0, bytes: bytes) }
    }
}

extension AlertTally {
    func result() -> BothPolicies.Result {
        var result = BothPolicies.Result(
            before: before.figures, after: after.figures, alertsBefore: before.listed,
            alertsAfter: after.listed)
        let versions = Set(before.alerts.keys).union(after.alerts.keys)
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
        switch (before.alerts[version], after.alerts[version]) {
        case (nil, let new?) where before.keptBack.contains(version):
            changes.moved += 1
            return "moved from the end of quiet hours to \(new.by)"
        case (nil, _):
            changes.added += 1
            return "added"
        case (_, nil) where after.keptBack.contains(version):
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
            text(for: $0.rawValue) == other.text(for: $0.rawValue)
        }
    }

    /// Bytes of its text in the standard language, or of its keys and what fills their places.
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
