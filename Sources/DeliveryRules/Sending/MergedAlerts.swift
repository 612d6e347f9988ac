public import Domain

/// The alerts that a phone has not received and that are still true, the most significant first.
///
/// Three decisions about a match: (1) "Goal! 1–0", (2) "No goal: 0–0", which withdraws (1) and is
/// a correction, and (3) "Goal! 0–1".
/// - If none of them was sent before, the push says (3) alone: nobody needs to hear that a goal
///   does not count which nobody has heard of.
/// - If (1) was tried before and not accepted, the phone may have shown it. The push says (3) and
///   (2), and not (1), which is no longer true.
///
/// Three alerts of a result: (1) "Full time 0–0", (2) "Correction 1–0", since a goal was added, and
/// (3) "Correction 0–0", since that goal does not count. Each has as an amendment what full time
/// would say now.
/// - If none was sent before, the push says "Full time 0–0". After (2) it would say "Full time
///   1–0".
/// - If people heard (1) by an earlier push, it says nothing: the result is as they have heard it.
/// - If (1) was tried before and not accepted, it says "Correction 0–0": nobody knows what the
///   phone has shown.
///
/// The glossary has an example of what may grow and fall back, such as a delay, under "degree".
public struct MergedAlerts {
    /// An alert that the next push says. The push does not say one that `isSilent`: that one only
    /// keeps how much people have heard of what may grow and fall back.
    private struct UnsaidAlert {
        var alert: Alert
        var weight: Int
        var subject: String?
        /// People may know of its subject. It was sent before, and may have been seen although no
        /// answer came; or it corrects what people have heard; or it takes the place of such an
        /// alert.
        var mayBeKnown: Bool
        var degree: AlertContext.Degree?
        var changedValue: AlertContext.ChangedValue?
        /// Only of what may grow again: people have heard of as much, or it is withdrawn.
        var isSilent = false
    }

    private var unsaid: [UnsaidAlert] = []

    /// - Parameters:
    ///   - earlier: accepted for the phone, in that order, one element for each push.
    ///   - missed: sent before but not accepted, oldest first.
    ///   - pending: not sent yet, oldest first and newer than all of `missed`.
    /// - Returns: the alerts to be said, the most significant first.
    public static func alerts(
        earlier: [[Decision]] = [], missed: [Decision], pending: [Decision]
    ) -> [Alert] {
        var merged = MergedAlerts()
        for push in earlier {
            for decision in push { merged.add(decision, wasTried: false) }
            merged.hear()
        }
        for decision in missed { merged.add(decision, wasTried: true) }
        for decision in pending { merged.add(decision, wasTried: false) }
        return merged.bySignificance
    }

    /// Notes that a push has said all that there was to say. Of what may grow and fall back it
    /// keeps how much people have heard.
    private mutating func hear() {
        unsaid = unsaid.compactMap { known in
            guard var degree = known.degree else { return nil }
            var heard = known
            if !known.isSilent { degree.heardSeconds = degree.extent.seconds }
            (heard.degree, heard.isSilent) = (degree, true)
            return heard
        }
    }

    /// A decision takes back what is no longer true, or gives it another text. It does so even if
    /// it has no alert itself.
    private mutating func add(_ decision: Decision, wasTried: Bool) {
        amend(decision.alertContext?.amendments ?? [])
        let alerts = decision.allAlerts
        for (alert, alertContext) in alerts {
            let isAlertOfEnd = decision.verdict == .end && alert == decision.alert
            take(
                UnsaidAlert(
                    alert: alert, weight: isAlertOfEnd ? .max : alertContext.weight,
                    subject: alertContext.subject,
                    mayBeKnown: wasTried || alertContext.isCorrection
                        || alertContext.changedValue != nil,
                    degree: alertContext.degree,
                    changedValue: wasTried ? nil : alertContext.changedValue),
                alertContext)
        }
        if alerts.isEmpty, let alertContext = decision.alertContext {
            // A correction without an alert withdraws the alert before. If nobody has heard of that
            // one, it stays: an amendment has just given it the text of now.
            unsaid += withdraw(alertContext.withdrawnSubjects).filter { former in
                alertContext.rewordsOwnAlert && !former.mayBeKnown
                    && former.subject.hasBytes(of: alertContext.subject)
            }
        }
    }

    private mutating func take(_ added: UnsaidAlert, _ alertContext: AlertContext) {
        let withdrawn = withdraw(alertContext.withdrawnSubjects)
        let former = withdrawn.first { $0.subject.hasBytes(of: added.subject) }
        // People who have surely not heard of it need not hear that it is not so.
        guard !alertContext.isCorrection || withdrawn.allSatisfy(\.mayBeKnown),
            let newest = replacing(former, by: added, alertContext)
        else { return }
        unsaid.append(inheriting(newest))
    }

    /// What an alert becomes that takes the place of a former one about the same subject, which is
    /// not sent.
    ///
    /// - Returns: nil if a value has changed back to what people have heard. If the former alert
    ///   was tried, nobody knows what they have heard, so there is always something to say.
    private func replacing(
        _ former: UnsaidAlert?, by added: UnsaidAlert, _ alertContext: AlertContext
    ) -> UnsaidAlert? {
        guard let former else { return added }
        var newest = added
        guard let changedValue = added.changedValue else {
            newest.mayBeKnown = added.mayBeKnown || former.mayBeKnown
            return newest
        }
        // Nobody has heard of the former one, and an amendment has given it the text of now: there
        // is nothing to correct.
        if !former.mayBeKnown, alertContext.rewordsOwnAlert { return former }
        newest.mayBeKnown = former.mayBeKnown
        newest.changedValue = former.changedValue.map {
            AlertContext.ChangedValue(heard: $0.heard, now: changedValue.now)
        }
        return newest.changedValue?.isAsHeard == true ? nil : newest
    }

    /// The alert with what people had heard before an earlier one that was not sent.
    private mutating func inheriting(_ added: UnsaidAlert) -> UnsaidAlert {
        guard let subject = added.subject, let degree = added.degree,
            let place = unsaid.lastIndex(where: {
                $0.isSilent && $0.subject.hasBytes(of: subject)
            })
        else { return added }
        var newest = added
        if let former = unsaid.remove(at: place).degree {
            newest.degree?.heardSeconds = min(degree.heardSeconds, former.heardSeconds)
        }
        return newest
    }

    /// Gives unsaid alerts the texts of now. What has fallen back to what people have heard of is
    /// not said, unless it grows again. The newest policy says by how much it has to.
    private mutating func amend(_ amendments: [AlertContext.Amendment]) {
        for amendment in amendments {
            for index in unsaid.indices
            where unsaid[index].subject.hasBytes(of: amendment.subject) {
                unsaid[index].alert = amendment.alert
                guard let extent = amendment.extent, var degree = unsaid[index].degree else {
                    continue
                }
                degree.extent = extent
                unsaid[index].degree = degree
                unsaid[index].isSilent = !degree.exceedsHeard
            }
        }
    }

    /// - Returns: the alerts that were to be said, and are not any more.
    private mutating func withdraw(_ subjects: [String]) -> [UnsaidAlert] {
        subjects.compactMap { subject in
            unsaid.lastIndex { !$0.isSilent && $0.subject.hasBytes(of: subject) }.map { place in
                guard unsaid[place].degree != nil else { return unsaid.remove(at: place) }
                unsaid[place].isSilent = true
                return unsaid[place]
            }
        }
    }

    /// The alerts by significance; of equally significant ones the newest is first.
    private var bySignificance: [Alert] {
        unsaid.reversed().filter { !$0.isSilent }.enumerated()
            .sorted { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }
            .map(\.element.alert)
    }
}
