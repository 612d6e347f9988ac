public import Domain

/// Why a recorded event could not be folded. Its activity is blocked; others go on.
public enum FoldError: Error, Hashable, Sendable {
    case refused(EventRefusal)
    /// The stored event belongs to another kind than the activity it names.
    case kindMismatch(expected: String, found: String)
    case unknownKind(String)
    /// A stored JSON member does not decode into its type.
    case undecodable(member: String, kind: String)
}

extension FoldError {
    /// One sentence without a full stop, for the ledger, the log and replays; has no data of the
    /// event.
    public var summary: String {
        switch self {
        case .refused(let refusal): "\(refusal.pointer): \(refusal.detail)"
        case .kindMismatch(let expected, let found):
            "the activity is a \(expected), the event belongs to \(found)"
        case .unknownKind(let name): "no activity kind knows \(name)"
        case .undecodable(let member, let kind):
            "the stored \(member) of this \(kind) cannot be read by this version of Islet"
        }
    }
}

/// What folding one event into an activity gives.
public struct FoldedChange: Hashable, Sendable {
    /// The activity after the event.
    public var snapshot: Snapshot
    /// True when the encoded content state differs from the one before.
    public var isVisible: Bool
    /// What the change is worth under the policy in force.
    public var assessment: Assessment
    /// When it counts as having happened.
    public var occurredAt: Moment
    /// The alert that the assessment wants; nil if it wants none.
    public var alert: Alert?
    /// What the assessment says of alerts that are not sent yet, in its order and with the texts
    /// that are sent.
    public var amendments: [AlertContext.Amendment] = []
    /// The policy of the assessment.
    public var policy: Policy = .builtIn
}

extension FoldedChange {
    /// Why the alert is not to be sent now; nil when it is.
    public var silence: Silence? {
        assessment.silence(
            occurredAt: occurredAt, recordedAt: snapshot.updatedAt, under: policy)
    }

    /// Recent enough for people to be alerted of it.
    public var isNews: Bool { ageSeconds <= policy[.newsAge] }

    /// How long ago it had happened when it was reported, in seconds.
    public var ageSeconds: Double {
        snapshot.updatedAt.seconds(since: occurredAt)
    }

    /// Whether nobody is to be alerted of what was kept back before.
    public var isInQuietHours: Bool {
        !assessment.endsQuietHours && policy.isInQuietHours(at: snapshot.updatedAt)
    }
}
