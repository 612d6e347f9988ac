import Domain

/// What is left to say of the alerts that a phone has not been told: what is still true, the most
/// significant first.
///
/// Decisions carry no word yet about what they are about, so what takes back what is known here by
/// the names of the rules, and by the words where a rule can speak of several things.
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
        var isWorthSaying = true
        switch decision.rule {
        case "goalDisallowed":
            if let goal = untold.lastIndex(where: { $0.isGoal(takenBackBy: alert) }) {
                // Who has surely not heard of the goal need not hear that it does not count.
                isWorthSaying = untold.remove(at: goal).wasTried
            }
        case "driverReassigned":
            untold.removeAll { ["driverAssigned", "driverReassigned"].contains($0.decision.rule) }
        case "late":
            untold.removeAll { $0.decision.rule == "late" }
        default: break
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
    fileprivate func isGoal(takenBackBy correction: Alert) -> Bool {
        decision.rule == "goal"
            && (correction.body.hasPrefix("\(alert.body) does not count")
                || correction.body.hasPrefix("The last goal does not count"))
    }

    fileprivate var weight: Int {
        if decision.verdict == .end { return 100 }
        return switch decision.rule {
        case "goal", "goalDisallowed": 80
        case "redCard", "criticalHit": 70
        case "arriving", "onItsWay": 60
        case "late": 40
        case "driverReassigned", "driverAssigned": 30
        default: 50
        }
    }
}
