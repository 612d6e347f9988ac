import Domain

/// What is left to say of the alerts that a phone has not been told: what is still true, the most
/// significant first.
struct Announcement {
    private struct Untold {
        var alert: Alert
        var weight: Int
        var subject: String?
        /// It was sent before, and may have been seen although no answer came.
        var wasTried: Bool
    }

    private var untold: [Untold] = []

    /// - Parameters:
    ///   - missed: sent before but not accepted, oldest first.
    ///   - pending: not sent yet, oldest first and newer than all of `missed`.
    /// - Returns: the alerts to be said, the most significant first.
    static func alerts(missed: [Decision], pending: [Decision]) -> [Alert] {
        var announcement = Announcement()
        for decision in missed { announcement.add(decision, wasTried: true) }
        for decision in pending { announcement.add(decision, wasTried: false) }
        return announcement.bySignificance
    }

    /// A decision takes back what is no longer true, or says it anew, also when it says nothing
    /// itself.
    private mutating func add(_ decision: Decision, wasTried: Bool) {
        amend(decision.news?.amends ?? [])
        let tellings = decision.tellings
        for (alert, news) in tellings {
            let isOfEnd = decision.verdict == .end && alert == decision.alert
            add(
                Untold(
                    alert: alert, weight: isOfEnd ? .max : news.weight, subject: news.subject,
                    wasTried: wasTried),
                news)
        }
        if tellings.isEmpty, let news = decision.news { _ = withdraw(news.withdraws) }
    }

    private mutating func add(_ telling: Untold, _ news: AlertContext) {
        let withdrawn = withdraw(news.withdraws)
        // Who has surely not heard of it need not hear that it is not so.
        guard !news.isCorrection || withdrawn.allSatisfy(\.wasTried) else { return }
        untold.append(telling)
    }

    private mutating func amend(_ amendments: [AlertContext.Amendment]) {
        for amendment in amendments {
            for index in untold.indices
            where untold[index].subject.hasBytes(of: amendment.subject) {
                untold[index].alert = amendment.alert
            }
        }
    }

    /// - Returns: what need not be said any more.
    private mutating func withdraw(_ subjects: [String]) -> [Untold] {
        subjects.compactMap { subject in
            untold.lastIndex { $0.subject.hasBytes(of: subject) }.map { untold.remove(at: $0) }
        }
    }

    /// Of equally significant ones the newest is first.
    private var bySignificance: [Alert] {
        untold.reversed().enumerated()
            .sorted { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }
            .map(\.element.alert)
    }
}
