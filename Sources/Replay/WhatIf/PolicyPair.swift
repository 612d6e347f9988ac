public import Projections

/// What was in force and what is tried instead, with what is found out about both once for all.
public struct PolicyPair: Sendable {
    let own: PolicyBook
    let tried: PolicyBook
    /// The first position that counts.
    let since: Int64
    /// Kinds about which both judge alike: they differ at most in when pushes go.
    let kindsAlike: Set<String>
    /// Kinds of which they have other texts, so that alerts are put into every language that there
    /// are texts in, and compared in each.
    let kindsReworded: Set<String>
    /// What of a policy is tried in part only, by the names of kinds: the clock goes by it, and its
    /// reports are those that were recorded.
    public let triedInPart: [String: [String]]

    /// - Parameters:
    ///   - own: what was in force.
    ///   - tried: the same with another policy.
    ///   - kinds: those that are looked at.
    public init(own: PolicyBook, tried: PolicyBook, kinds: [String], since: Int64 = 1) {
        self.own = own
        self.tried = tried
        self.since = since
        kindsAlike = Set(kinds.filter { own.judgesAlike(tried, ofKind: $0) })
        kindsReworded = Set(kinds.filter { !own.saysAlike(tried, ofKind: $0) })
        var parts: [String: [String]] = [:]
        for kind in kinds {
            let part = Self.triedInPart(own, tried, kind)
            if !part.isEmpty { parts[kind] = part }
        }
        triedInPart = parts
    }

    private static func triedInPart(
        _ own: PolicyBook, _ tried: PolicyBook, _ kind: String
    ) -> [String] {
        let mine = own.policy(ofKind: kind, at: .max)
        let theirs = tried.policy(ofKind: kind, at: .max)
        let thresholds = ActivityCatalog.standard.kind(named: kind)?.allThresholds ?? []
        let names = thresholds.filter { $0.isOfClock && mine[$0] != theirs[$0] }.map(\.name)
        return names + (mine.quietHours == theirs.quietHours ? [] : ["quietHours"])
    }
}
