import Domain

/// What is left to say of the alerts that a phone has not been told: what is still true, the most
/// significant first.
struct Announcement {
    fileprivate struct Untold {
        var decision: Decision
        var alert: Alert
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

    private mutating func add(_ decision: Decision, wasTried: Bool) {
        guard let alert = decision.alert else { return }
        let news = decision.news ?? NewsItem()
        var isWorthSaying = true
        for subject in news.withdraws {
            guard let told = untold.lastIndex(where: { $0.decision.news?.subject == subject })
            else { continue }
            // Who has surely not heard of it need not hear that it is not so.
            isWorthSaying = untold.remove(at: told).wasTried || !news.isCorrection
        }
        guard isWorthSaying else { return }
        untold.append(Untold(decision: decision, alert: alert, wasTried: wasTried))
    }

    /// Of equally significant ones the newest is first.
    private var bySignificance: [Alert] {
        untold.reversed().enumerated()
            .sorted { (-$0.element.weight, $0.offset) < (-$1.element.weight, $1.offset) }
            .map(\.element.alert)
    }
}

extension Announcement.Untold {
    fileprivate var weight: Int {
        decision.verdict == .end ? .max : decision.news?.weight ?? 0
    }
}
