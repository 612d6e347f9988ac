public import Domain

/// The alerts that a phone has not received and that are still true, the most significant first.
public struct MergedAlerts {
    /// Said by the next push unless it is silent: then it only keeps how much people have heard of
    /// what may grow, as a delay may. The glossary has an example ("degree").
    private struct UnsaidAlert {
        var alert: Alert
        var weight: Int
        var subject: String?
        /// It was sent before, and may have been seen although no answer came; or it puts right
        /// what people have heard; or it takes the place of such a one.
        var isOfHeard: Bool
        var degree: AlertContext.Degree?
        var revision: AlertContext.Revision?
        /// True of what may grow again, as long as it is not more than people have heard of.
        var isSilent = false
    }

    private var unsaid: [UnsaidAlert] = []

    /// - Parameters:
    ///   - earlier: accepted for the phone, in the order in which they were: those of one push
    ///     together.
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

    /// Notes that what there is to say has been said: of what may grow and fall back, how much.
    private mutating func hear() {
        unsaid = unsaid.compactMap { known in
            guard var degree = known.degree else { return nil }
            var heard = known
            if !known.isSilent { degree.heardSeconds = degree.extent.seconds }
            (heard.degree, heard.isSilent) = (degree, true)
            return heard
        }
    }

    /// A decision takes back what is no longer true, or says it again, also when it says nothing
    /// itself.
    private mutating func add(_ decision: Decision, wasTried: Bool) {
        amend(decision.alertContext?.amendments ?? [])
        let alerts = decision.allAlerts
        for (alert, alertContext) in alerts {
            let isOfEnd = decision.verdict == .end && alert == decision.alert
            take(
                UnsaidAlert(
                    alert: alert, weight: isOfEnd ? .max : alertContext.weight,
                    subject: alertContext.subject,
                    isOfHeard: wasTried || alertContext.isCorrection
                        || alertContext.revision != nil,
                    degree: alertContext.degree, revision: wasTried ? nil : alertContext.revision),
                alertContext)
        }
        if alerts.isEmpty, let alertContext = decision.alertContext {
            // What nobody has heard of has the words of now, also if they are put right silently.
            unsaid += withdraw(alertContext.withdrawnSubjects).filter { former in
                alertContext.amendsItself && !former.isOfHeard
                    && former.subject.hasBytes(of: alertContext.subject)
            }
        }
    }

    private mutating func take(_ added: UnsaidAlert, _ alertContext: AlertContext) {
        let withdrawn = withdraw(alertContext.withdrawnSubjects)
        let former = withdrawn.first { $0.subject.hasBytes(of: added.subject) }
        // Who has surely not heard of it need not hear that it is not so.
        guard !alertContext.isCorrection || withdrawn.allSatisfy(\.isOfHeard),
            let newest = replacing(former, by: added, alertContext)
        else { return }
        unsaid.append(inheriting(newest))
    }

    /// What is as people have heard it, since what is taken back never reached them, is not sent.
    /// What was tried may have reached them: then nobody knows what they have heard.
    private func replacing(
        _ former: UnsaidAlert?, by added: UnsaidAlert, _ alertContext: AlertContext
    ) -> UnsaidAlert? {
        guard let former else { return added }
        var newest = added
        guard let revision = added.revision else {
            newest.isOfHeard = added.isOfHeard || former.isOfHeard
            return newest
        }
        // What nobody has heard of has the words of now, and nothing puts it right.
        if !former.isOfHeard, alertContext.amendsItself { return former }
        newest.isOfHeard = former.isOfHeard
        newest.revision = former.revision.map {
            AlertContext.Revision(from: $0.from, to: revision.to)
        }
        return newest.revision?.isNeeded == false ? nil : newest
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

    /// What has fallen back to what people have heard of is not said, unless it grows again. By
    /// how much it has to, the newest policy says.
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

    /// - Returns: what need not be said any more.
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
