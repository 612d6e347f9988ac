import Domain

/// The alerts of an activity that quiet hours keep back until a decision sends them.
struct Backlog: Hashable, Codable, Sendable {
    /// The alerts that are kept back, oldest first.
    private(set) var alerts: [KeptBackAlert] = []
    /// The score of the newest report, for the push of a clock's event, which knows none.
    var relevanceScore: Double?

    var isEmpty: Bool { alerts.isEmpty }

    /// The alert that stands for all: the most significant, and the newest of equally significant
    /// ones.
    var loudest: Alert? {
        alerts.max { ($0.alertContext.weight, $0.version) < ($1.alertContext.weight, $1.version) }?
            .alert
    }

    /// Drops alerts about subjects that are no longer true.
    /// - Returns: what is dropped.
    mutating func withdraw(_ subjects: [String]) -> [KeptBackAlert] {
        drop { alert in alert.alertContext.subject.map(subjects.containsBytes) ?? false }
    }

    /// Gives alerts about a subject the text that is true now, and drops those that have fallen
    /// back to what people have heard of.
    /// - Returns: what is dropped.
    mutating func amend(_ amendment: AlertContext.Amendment) -> [KeptBackAlert] {
        for index in alerts.indices
        where alerts[index].alertContext.subject.hasBytes(of: amendment.subject) {
            alerts[index].alert = amendment.alert
            if let extent = amendment.extent { alerts[index].alertContext.degree?.extent = extent }
        }
        return drop { alert in
            guard alert.alertContext.subject.hasBytes(of: amendment.subject) else { return false }
            return alert.alertContext.degree.map { !$0.exceedsHeard } ?? false
        }
    }

    func has(_ subject: String) -> Bool {
        alerts.contains { $0.alertContext.subject.hasBytes(of: subject) }
    }

    /// Keeps one more back. If they are too many, drops the least significant, the oldest first.
    /// - Returns: what is dropped.
    mutating func keep(_ alert: KeptBackAlert) -> [KeptBackAlert] {
        alerts.append(alert)
        guard alerts.count > Limits.keptBackAlertsMax,
            let least = alerts.min(by: {
                ($0.alertContext.weight, $0.version) < ($1.alertContext.weight, $1.version)
            })
        else { return [] }
        return drop { $0.version == least.version }
    }

    /// - Returns: all alerts, which are dropped.
    mutating func clear() -> [KeptBackAlert] { drop { _ in true } }

    private mutating func drop(where isGone: (KeptBackAlert) -> Bool) -> [KeptBackAlert] {
        let gone = alerts.filter(isGone)
        alerts.removeAll(where: isGone)
        return gone
    }
}
