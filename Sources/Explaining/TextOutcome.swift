public import Domain

/// The result of a decision's text that did not go out with a push of its own.
public enum TextOutcome: Hashable, Sendable {
    /// Quiet hours kept them back; the decision of this version carries them, in the words of
    /// another one if it put them in new ones.
    case carried(by: Int64, inWordsOf: Int64? = nil)
    /// Quiet hours kept them back; the decision of this version gave them up.
    case givenUp(by: Int64)
    /// Quiet hours keep them back.
    case waiting
    /// The push of this version said them together with its own.
    case merged(into: Int64)
    /// The push of the second version said what the first had put in new words.
    case reworded(by: Int64, into: Int64)
    /// The decision of this version took them back before the push.
    case takenBack(by: Int64)
    /// They take back what the decision of this version wanted to say, in the same push.
    case needless(after: Int64)

    /// - Parameters:
    ///   - decision: the one in question.
    ///   - carriedBy: version whose push carried it; nil while nothing was sent.
    ///   - others: decisions of the activity around it, in order; those after it as far as one of
    ///     them carries what was kept back, or to the one whose push carried it.
    ///   - carriers: by version, the one whose push carried it; itself if it is not known.
    /// - Returns: nil when it had no words, or said them itself, or nobody has yet.
    public init?(
        of decision: Decision, carriedBy: Int64?, among others: [Decision],
        carriers: [Int64: Int64] = [:]
    ) {
        let version = decision.version
        let later = others.filter { $0.version > version }
        if decision.alertContext?.silence == .quietHours {
            self = Self.keptBack(decision, later, carriers)
            return
        }
        guard decision.alert != nil, let carriedBy else { return nil }
        let alertContext = decision.alertContext ?? AlertContext()
        let inPush = later.filter { $0.version <= carriedBy }
        // What nobody had heard of is said in the words of what puts it right.
        let takesBack = Self.takingBack(
            alertContext,
            in: inPush.filter { other in
                other.alertContext?.rewordsOwnAlert != true
                    || other.alertContext?.subject.hasBytes(of: alertContext.subject) == false
                    || !Self.isFirst(decision, in: others)
            })
        let needing = others.last { other in
            other.version < version && other.alert != nil
                && (other.alertContext?.subject.map(alertContext.withdrawnSubjects.containsBytes)
                    ?? false)
        }
        if let takesBack {
            self = .takenBack(by: takesBack.version)
        } else if let needing, alertContext.carried.isEmpty,
            Self.isNeedless(decision, alertContext, after: needing, in: others)
        {
            self = .needless(after: needing.version)
        } else if let rewording = Self.rewording(decision, in: inPush) {
            self = .reworded(by: rewording.version, into: carriedBy)
        } else if carriedBy != version {
            self = .merged(into: carriedBy)
        } else {
            return nil
        }
    }

    /// Versions whose alerts went out in the words of another decision, by the version of that.
    /// - Parameter push: what went out together, in order.
    static func versionsWorded(carriedBy: Int64, in push: [Decision]) -> [Int64: [Int64]] {
        var versions: [Int64: [Int64]] = [:]
        for decision in push {
            let outcome = TextOutcome(of: decision, carriedBy: carriedBy, among: push)
            guard case .reworded(let rewording, _) = outcome else { continue }
            versions[rewording, default: []].append(decision.version)
        }
        return versions
    }

    /// The decision in whose words it was said; nil if it was in its own.
    private static func rewording(_ decision: Decision, in push: [Decision]) -> Decision? {
        for (alert, alertContext) in decision.allAlerts {
            guard let subject = alertContext.subject else { continue }
            if let last = push.last(where: { $0.amendedAlert(about: subject) != nil }),
                last.amendedAlert(about: subject) != alert
            {
                return last
            }
        }
        return nil
    }

    /// What may grow and fall back is taken back by falling to what people have heard of, and may
    /// be said again later in the push.
    private static func takingBack(_ alertContext: AlertContext, in push: [Decision]) -> Decision? {
        guard let subject = alertContext.subject else { return nil }
        var taking: Decision?
        for other in push {
            guard let theirs = other.alertContext else { continue }
            if let degree = alertContext.degree,
                let extent = theirs.amendments.first(where: { $0.subject.hasBytes(of: subject) })?
                    .extent
            {
                let exceeds = extent.exceeds(heardSeconds: degree.heardSeconds)
                taking = exceeds ? nil : taking ?? other
            }
            guard theirs.withdrawnSubjects.containsBytes(of: subject) else { continue }
            taking = taking ?? other
            // Another alert stands for it, or nothing.
            if alertContext.degree == nil || theirs.subject.hasBytes(of: subject) { return taking }
        }
        return taking
    }

    /// Nobody had heard of what it puts right, or all have heard it as it is.
    private static func isNeedless(
        _ decision: Decision, _ alertContext: AlertContext, after needing: Decision,
        in push: [Decision]
    ) -> Bool {
        alertContext.isCorrection && isFirst(needing, in: push)
            || alertContext.rewordsOwnAlert && isFirst(decision, in: push)
            || isAsHeard(alertContext, in: push)
    }

    /// Nobody had heard of what it says before the push, nor of what it takes the place of.
    private static func isFirst(_ decision: Decision, in push: [Decision]) -> Bool {
        guard let alertContext = decision.alertContext, let subject = alertContext.subject else {
            return true
        }
        let former = push.last {
            $0.version < decision.version && $0.alert != nil
                && $0.alertContext?.subject.hasBytes(of: subject) == true
                && alertContext.withdrawnSubjects.containsBytes(of: subject)
        }
        return former.map { isFirst($0, in: push) }
            ?? (!alertContext.isCorrection && alertContext.changedValue == nil)
    }

    /// It puts something right as it was before the push.
    private static func isAsHeard(_ alertContext: AlertContext, in push: [Decision]) -> Bool {
        guard let subject = alertContext.subject, let changedValue = alertContext.changedValue
        else { return false }
        let first = push.first {
            $0.alert != nil && $0.alertContext?.subject.hasBytes(of: subject) == true
        }
        return first?.alertContext?.changedValue?.heard == changedValue.now
    }

    /// What comes after the decision that carries it, in the same push, may take it back or put it
    /// in other words as well.
    private static func keptBack(
        _ decision: Decision, _ later: [Decision], _ carriers: [Int64: Int64]
    ) -> TextOutcome {
        let version = decision.version
        for other in [decision] + later {
            guard let alertContext = other.alertContext else { continue }
            if alertContext.dropped.contains(version) { return .givenUp(by: other.version) }
            guard let carried = alertContext.carried.first(where: { $0.version == version }) else {
                continue
            }
            let end = carriers[other.version] ?? other.version
            let upToPush = later.filter { $0.version <= end }
            let inPush = upToPush.filter { $0.version > other.version }
            if let taking = takingBack(carried.alertContext, in: inPush) {
                return .takenBack(by: taking.version)
            }
            let subject = decision.alertContext?.subject
            let rewording = upToPush.last { subject.flatMap($0.amendedAlert) != nil }
            return .carried(by: other.version, inWordsOf: rewording?.version)
        }
        return .waiting
    }

    /// It speaks of what a push said, or that it left something out which a later one may say.
    var isOfPush: Bool {
        switch self {
        case .merged, .reworded, .needless: true
        case .carried, .givenUp, .waiting, .takenBack: false
        }
    }

    /// A sentence for support agents.
    var sentence: String {
        switch self {
        case .carried(let version, nil):
            "Quiet hours kept its text back; version \(version) sends it."
        case .carried(let version, let rewording?):
            "Quiet hours kept its text back; version \(version) sends it in the words of version "
                + "\(rewording)."
        case .givenUp(let version):
            "Quiet hours kept its text back, and version \(version) dropped it: it was no longer "
                + "true, other alerts were more significant, or the activity had ended."
        case .waiting: "Quiet hours keep its text back; it has not been sent yet."
        case .merged(let version):
            "The push of version \(version) sent its text together with others."
        case .reworded(let rewording, let version):
            "Its own text was not sent: the push of version \(version) sent it in the words of "
                + "version \(rewording)."
        case .takenBack(let version):
            "Its text was not sent: version \(version) withdrew it before the push."
        case .needless(let version):
            "Its text was not sent: the alert that it corrects, of version \(version), was in the "
                + "same push."
        }
    }
}

extension Decision {
    /// What alerts about a subject say from it on, if they were not sent before.
    fileprivate func amendedAlert(about subject: String) -> Alert? {
        alertContext?.amendments.last { $0.subject.hasBytes(of: subject) }?.alert
    }
}
