import DeliveryRules
import Domain
import Foundation
@testable import Projections

/// A machine that gets changes at times of its own, under a policy with quiet hours from 22 to 7
/// o'clock.
struct Night {
    var machine = DispatchMachine()
    var policy: Policy
    private(set) var changes: [FoldedChange] = []
    private(set) var decisions: [Decision] = []

    init(except: [String] = [], thresholds: [String: Double] = [:]) throws {
        policy = try ActivityCatalog.standard.policy(
            ofKind: "Match",
            PolicyDocument(
                thresholds: thresholds,
                quietHours: .init(from: "22:00", to: "07:00", timeZone: "UTC", except: except)),
            version: 1)
    }

    /// 0 is midnight; the hours before it are negative.
    static func time(_ hour: Double) -> Moment {
        Moment(unixSeconds: 1_800_057_600).adding(seconds: hour * 3600)
    }

    /// A change with words of its own, which name its version.
    @discardableResult
    mutating func change(
        at hour: Double, _ significance: Significance = .alert, rule: String = "details",
        alertContext: AlertContext = AlertContext(), secondsLate: Double = 0, ends: Ending? = nil,
        state: String? = nil, isClock: Bool = false
    ) -> Decision {
        let version = Int64(decisions.count + 1)
        let empty = Data("{}".utf8)
        let now = Self.time(hour)
        var assessment = Assessment(
            significance: significance, rule: rule, reason: "Because.",
            relevanceScore: isClock ? nil : 75, ending: ends)
        assessment.alertContext = alertContext
        assessment.endsQuietHours = isClock
        let change = FoldedChange(
            snapshot: Snapshot(
                activityID: ActivityID(rawValue: "m"), kind: "Match", version: version,
                position: version, phase: .live, state: empty, attributes: empty,
                contentState: Data((state ?? "{\"v\":\(version)}").utf8), updatedAt: now),
            isVisible: true, assessment: assessment,
            occurredAt: now.adding(seconds: -secondsLate),
            alert: significance == .alert ? Self.alert(version) : nil, policy: policy)
        changes.append(change)
        decisions.append(machine.decide(about: change))
        return decisions[decisions.count - 1]
    }

    static func alert(_ version: Int64) -> Alert {
        Alert(title: "T\(version)", body: "B\(version)")
    }
}
