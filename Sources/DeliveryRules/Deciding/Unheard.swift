import Domain
import Projections

/// How much people have heard of what may grow and fall back, where alerts about more of it were
/// made and never sent: it was reported late, or quiet hours kept it back until it was less.
///
/// A kind alerts about each step once. What came and went before anybody was alerted of it is news
/// when it comes back.
struct Unheard: Hashable, Codable, Sendable {
    fileprivate struct Entry: Hashable, Codable {
        var subject: String
        /// How much people have heard, as in `AlertContext.Degree`.
        var heardSeconds: Double
    }

    private var entries: [Entry] = []

    var isEmpty: Bool { entries.isEmpty }

    /// How much people have heard of a subject; nil where they have heard all alerts.
    func heardSeconds(of subject: String) -> Double? {
        entries.first { $0.subject.hasBytes(of: subject) }?.heardSeconds
    }

    mutating func remember(_ subject: String, heardSeconds: Double) {
        forget(subject)
        entries.append(Entry(subject: subject, heardSeconds: heardSeconds))
    }

    mutating func forget(_ subject: String) {
        entries.removeAll { $0.subject.hasBytes(of: subject) }
    }

    /// The change as one that alerts, where it has more to say of something than people have heard,
    /// and nothing else to alert them of.
    /// - Parameter backlog: what it keeps back is sent with the newest text anyway.
    func alerting(_ change: FoldedChange, beside backlog: Backlog?) -> FoldedChange {
        let assessment = change.assessment
        guard assessment.significance != .alert, !assessment.isOver, change.isNews else {
            return change
        }
        for (amendment, wanted) in zip(change.amendments, assessment.amendments) {
            let subject = amendment.subject
            guard let telling = wanted.telling, backlog?.has(subject) != true,
                let heard = heardSeconds(of: subject),
                telling.extent.exceeds(heardSeconds: heard)
            else { continue }
            var alerting = change
            alerting.alert = amendment.alert
            alerting.assessment.significance = .alert
            alerting.assessment.rule = telling.rule
            alerting.assessment.reason += " It was reported before, and nobody was alerted of it."
            alerting.assessment.alertContext.weight = telling.weight
            alerting.assessment.alertContext.subject = subject
            alerting.assessment.alertContext.withdrawnSubjects.append(subject)
            alerting.assessment.alertContext.degree = AlertContext.Degree(
                telling.extent, heardSeconds: heard)
            alerting.amendments.removeAll { $0.subject.hasBytes(of: subject) }
            return alerting
        }
        return change
    }
}

/// Programs that counted in steps kept a member `heard`.
extension Unheard.Entry {
    private enum Member: String, CodingKey {
        case subject, heardSeconds, heard
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Member.self)
        subject = try members.decode(String.self, forKey: .subject)
        if let seconds = try members.decodeIfPresent(Double.self, forKey: .heardSeconds) {
            heardSeconds = seconds
        } else {
            let steps = try members.decode(Int.self, forKey: .heard)
            heardSeconds = Double(steps) * AlertContext.formerStepSeconds
        }
    }
}
