import Domain

/// What quiet hours have kept back of an activity, until a decision says it.
struct Backlog: Hashable, Codable, Sendable {
    /// Oldest first.
    private(set) var alerts: [CarriedAlert] = []
    /// Of the newest report, for the push of a clock's event, which knows none.
    var relevanceScore: Double?

    var isEmpty: Bool { alerts.isEmpty }

    /// The one that speaks for all: the most significant, and the newest of equally significant
    /// ones.
    var loudest: Alert? {
        alerts.max { ($0.news.weight, $0.version) < ($1.news.weight, $1.version) }?.alert
    }

    /// What is no longer true need not be told.
    /// - Returns: the versions of what is forgotten.
    mutating func withdraw(_ subjects: [String]) -> [Int64] {
        drop { alert in alert.news.subject.map(subjects.containsBytes) ?? false }
    }

    /// What has changed since is told as it is now.
    mutating func amend(_ amendments: [AlertContext.Amendment]) {
        for amendment in amendments {
            for index in alerts.indices
            where alerts[index].news.subject.hasBytes(of: amendment.subject) {
                alerts[index].alert = amendment.alert
            }
        }
    }

    /// Keeps one more back. Beyond their number the least significant goes, and the oldest first.
    /// - Returns: the versions of what is forgotten.
    mutating func keep(_ alert: CarriedAlert) -> [Int64] {
        alerts.append(alert)
        guard alerts.count > Limits.keptBackAlertsMax,
            let least = alerts.min(by: {
                ($0.news.weight, $0.version) < ($1.news.weight, $1.version)
            })
        else { return [] }
        return drop { $0.version == least.version }
    }

    /// - Returns: the versions of all that is forgotten.
    mutating func clear() -> [Int64] { drop { _ in true } }

    private mutating func drop(where isGone: (CarriedAlert) -> Bool) -> [Int64] {
        let gone = alerts.filter(isGone).map(\.version)
        alerts.removeAll(where: isGone)
        return gone
    }
}
