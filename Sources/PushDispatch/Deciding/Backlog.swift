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

    /// What is no longer true need not be said.
    /// - Returns: what is forgotten.
    mutating func withdraw(_ subjects: [String]) -> [CarriedAlert] {
        drop { alert in alert.news.subject.map(subjects.containsBytes) ?? false }
    }

    /// What has changed since is said as it is now. What has fallen back to what people have heard
    /// of is not said.
    /// - Returns: what is forgotten.
    mutating func amend(_ amendment: AlertContext.Amendment) -> [CarriedAlert] {
        for index in alerts.indices
        where alerts[index].news.subject.hasBytes(of: amendment.subject) {
            alerts[index].alert = amendment.alert
            if let extent = amendment.extent { alerts[index].news.degree?.extent = extent }
        }
        return drop { alert in
            guard alert.news.subject.hasBytes(of: amendment.subject) else { return false }
            return alert.news.degree.map { !$0.isNews } ?? false
        }
    }

    func has(_ subject: String) -> Bool {
        alerts.contains { $0.news.subject.hasBytes(of: subject) }
    }

    /// Keeps one more back. Beyond their number the least significant goes, and the oldest first.
    /// - Returns: what is forgotten.
    mutating func keep(_ alert: CarriedAlert) -> [CarriedAlert] {
        alerts.append(alert)
        guard alerts.count > Limits.keptBackAlertsMax,
            let least = alerts.min(by: {
                ($0.news.weight, $0.version) < ($1.news.weight, $1.version)
            })
        else { return [] }
        return drop { $0.version == least.version }
    }

    /// - Returns: all that is forgotten.
    mutating func clear() -> [CarriedAlert] { drop { _ in true } }

    private mutating func drop(where isGone: (CarriedAlert) -> Bool) -> [CarriedAlert] {
        let gone = alerts.filter(isGone)
        alerts.removeAll(where: isGone)
        return gone
    }
}
