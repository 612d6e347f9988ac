public import Foundation

/// What the dispatch machine decides about one change.
public enum Verdict: String, Codable, Sendable, CaseIterable {
    /// Priority 10 with an alert.
    case alert
    /// Priority 10 without an alert.
    case timely
    /// Priority 5.
    case quiet
    /// Nothing is sent; the decision's `reason` says why.
    case hold
    /// The activity's last push; carries an alert when the policy gives one.
    case end

    /// True when a decision with this verdict causes a push.
    public var pushes: Bool { self != .hold }
}

/// The one ledger row that every folded change has.
public struct Decision: Hashable, Sendable {
    /// The activity that changed.
    public var activityID: ActivityID
    /// Version of the activity that the change led to.
    public var version: Int64
    /// Position of the event that caused it.
    public var position: Int64
    /// What happens to phones.
    public var verdict: Verdict
    /// As the policy assessed it, before quiet hours, budgets and what phones show already; nil in
    /// rows that earlier programs wrote.
    public var significance: Significance?
    /// Name of the policy rule that spoke, for example `goal`.
    public var rule: String
    /// One sentence for a person: why this verdict.
    public var reason: String
    /// The text on a phone: its own alert, or the most significant one that it carries.
    public var alert: Alert?
    /// The state to show, as the stock `JSONEncoder` wrote it.
    public var contentState: Data
    /// When the phone should mark the state as stale.
    public var staleAt: Moment?
    /// With `end`: when the card leaves the Lock Screen.
    public var dismissAt: Moment?
    /// Relative weight among the app's activities; any number.
    public var relevanceScore: Double?
    /// Taken from the event's `recordedAt`, so that it can be recomputed from the log.
    public var decidedAt: Moment
    /// How it is to be carried out; nil for a hold, and in rows of rules that knew no budgets.
    public var order: PushOrder?
    /// What its alert is about, or would have been; nil when there is nothing to tell.
    public var alertContext: AlertContext?
    /// Version of the tenant's policy that was in force; 0 for none of its own.
    public var policyVersion: Int
    /// Version of the program's rules; a decision made by others is not recomputed. 0: since an
    /// erasure no rules give it.
    public var rulesVersion: Int

    @inlinable public init(
        activityID: ActivityID, version: Int64, position: Int64, verdict: Verdict, rule: String,
        reason: String, alert: Alert? = nil, contentState: Data, staleAt: Moment? = nil,
        dismissAt: Moment? = nil, relevanceScore: Double? = nil, decidedAt: Moment,
        order: PushOrder? = nil, alertContext: AlertContext? = nil, policyVersion: Int = 0,
        rulesVersion: Int = 1, significance: Significance? = nil
    ) {
        self.activityID = activityID
        self.version = version
        self.position = position
        self.verdict = verdict
        self.rule = rule
        self.reason = reason
        self.alert = alert
        self.contentState = contentState
        self.staleAt = staleAt
        self.dismissAt = dismissAt
        self.relevanceScore = relevanceScore
        self.decidedAt = decidedAt
        self.order = order
        self.alertContext = alertContext
        self.policyVersion = policyVersion
        self.rulesVersion = rulesVersion
        self.significance = significance
    }
}

extension Decision {
    /// What a decision that is made again has in common with the stored one.
    private static let compared: [(name: String, isEqual: @Sendable (Decision, Decision) -> Bool)] =
        [
            ("verdict", { $0.verdict == $1.verdict }),
            // Rows that earlier programs wrote have none.
            ("significance", { $0.significance ?? $1.significance == $1.significance }),
            ("rule", { $0.rule == $1.rule }),
            ("alert", { $0.alert == $1.alert }),
            ("content state", { $0.contentState == $1.contentState }),
            ("policy version", { $0.policyVersion == $1.policyVersion }),
            ("order", { $0.order == $1.order }),
            ("news", { $0.alertContext == $1.alertContext }),
        ]

    /// Names of what the stored decision has otherwise than the one that is made again.
    public func differences(from made: Decision) -> [String] {
        Self.compared.filter { !$0.isEqual(self, made) }.map(\.name)
    }

    /// The same, but nobody is alerted. What is not named here goes with the alert.
    public func withoutAlert() -> Decision {
        Decision(
            activityID: activityID, version: version, position: position, verdict: verdict,
            rule: rule, reason: reason, contentState: contentState, staleAt: staleAt,
            dismissAt: dismissAt, relevanceScore: relevanceScore, decidedAt: decidedAt,
            order: order, policyVersion: policyVersion, rulesVersion: rulesVersion,
            significance: significance)
    }

    /// All its alerts with what each is about: those that were kept back before, oldest first,
    /// then its own.
    public var allAlerts: [(alert: Alert, alertContext: AlertContext)] {
        let carried = alertContext?.carried ?? []
        let own = alert.flatMap { alert in
            carried.contains { $0.alert == alert } ? nil : (alert, alertContext ?? AlertContext())
        }
        return carried.map { ($0.alert, $0.alertContext) } + (own.map { [$0] } ?? [])
    }

    /// Rule of a change of attributes alone, which no push brings to cards that run.
    public static let attributesRule = "attributes"

    /// Whether webhooks are sent it: all that phones are, and other attributes.
    public var isForWebhooks: Bool { verdict.pushes || rule == Self.attributesRule }

    /// Whether phones of a tier get it at priority 10.
    public func isImmediate(for tier: PhoneTier) -> Bool {
        if let order { return order.isImmediate(for: tier) }
        return switch verdict {
        case .alert, .timely, .end: true
        case .quiet, .hold: false
        }
    }
}
