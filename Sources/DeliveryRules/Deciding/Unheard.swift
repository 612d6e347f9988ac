import Domain
import Projections

/// How much people have heard of what may grow and fall back, if alerts about more of it were made
/// and never sent. A kind alerts about each step once, so the dispatch machine must know that this
/// is news when it comes back. An example: a delay in seconds, with steps of 600.
///
/// - 18:00, the delay is 1,200: people are alerted. Nothing is unheard.
/// - 23:00, it is 3,000: quiet hours keep the alert back, with extent 3,000 and 1,200 heard.
/// - 23:30, it is 1,500: the alert that is kept back would say so now. But people have heard of
///   1,200, where the last full step of 1,500 begins, so it is dropped. The machine calls
///   `remember("delay", heardSeconds: 1_200)`.
/// - 09:00, it is 3,000 again: the kind has made that alert and makes none. `alerting` finds that
///   3,000 exceeds the 1,200 and makes the change an alert. After that, the machine calls `forget`.
///
/// It is the same if the 3,000 are reported so late that nobody is alerted. If the delay falls to
/// 2,100 at 23:30, the alert is still news. It is sent in the morning, and the entry says 2,100.
struct Unheard: Hashable, Codable, Sendable {
    fileprivate struct Entry: Hashable, Codable {
        var subject: String
        /// How much people have heard, as in `AlertContext.Degree`.
        var heardSeconds: Double
    }

    private var entries: [Entry] = []

    var isEmpty: Bool { entries.isEmpty }

    /// How much people have heard of a subject; nil if they have heard all alerts about it.
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

    /// The change made an alert if one of its amendments goes further than people have heard. A
    /// change that alerts already, is over or comes too late stays as it is.
    /// - Parameter backlog: alerts that it has are sent with the newest text anyway.
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
