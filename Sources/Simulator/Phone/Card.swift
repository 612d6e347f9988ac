public import Domain
public import Projections

/// ActivityKit's states of an activity.
public enum CardPhase: String, Hashable, Sendable, Codable {
    /// Planned by the app; it begins by itself, from iOS 26 on.
    case pending
    case active
    /// Its stale date has passed; it still takes updates.
    case stale
    /// Frozen on the Lock Screen until it is dismissed.
    case ended
    case dismissed

    public var isOver: Bool {
        switch self {
        case .pending, .active, .stale: false
        case .ended, .dismissed: true
        }
    }
}

/// One activity on one phone.
public struct Card: Sendable {
    /// The merchant's name for it; made up by the system when a push started it whose attributes
    /// name none.
    public let activity: ActivityID
    public let kind: CardKind
    public internal(set) var address: CardAddress
    public let startedAt: Moment
    public internal(set) var face: CardFace
    public internal(set) var phase = CardPhase.active
    /// Unix seconds of the newest push that was obeyed.
    public internal(set) var lastTimestamp: Int64?
    public internal(set) var staleAt: Moment?
    public internal(set) var endedAt: Moment?
    public internal(set) var dismissAt: Moment?
    public internal(set) var relevanceScore: Double?
    public internal(set) var alertCount = 0
    public internal(set) var lastAlert: Alert?
    /// Stale since before it began: the system has it and never shows it.
    public internal(set) var isNeverShown = false
    var budget: UpdateBudget

    /// What a person sees: nothing once the card is gone.
    public var presentation: Presentation? {
        phase == .pending || phase == .dismissed || isNeverShown ? nil : face.presentation
    }

    /// When time alone changes the card next.
    var nextDue: Moment? {
        switch phase {
        case .pending: startedAt
        case .active: [staleAt, activeUntil].compactMap { $0 }.min()
        case .stale: activeUntil
        case .ended: dismissAt
        case .dismissed: nil
        }
    }

    init(
        activity: ActivityID, kind: CardKind, address: CardAddress, startedAt: Moment,
        face: CardFace
    ) {
        self.activity = activity
        self.kind = kind
        self.address = address
        self.startedAt = startedAt
        self.face = face
        budget = UpdateBudget(at: startedAt)
    }

    var activeUntil: Moment { startedAt.adding(seconds: Limits.activeSecondsMax) }

    /// - Parameter wished: the push's dismissal date; in the past it means at once, and the card
    ///   never stays longer than 4 hours.
    mutating func end(at moment: Moment, dismissAt wished: Moment?) {
        let latest = moment.adding(seconds: Limits.lingerSecondsMax)
        endedAt = moment
        dismissAt = max(moment, min(wished ?? latest, latest))
        phase = .ended
    }

    typealias Change = (at: Moment, outcome: PhoneLogEntry.Outcome, sentence: String)

    /// Brings about what time alone brings about.
    /// - Returns: the changes, oldest first.
    mutating func settle(at now: Moment) -> [Change] {
        var changes: [Change] = []
        if phase == .pending, startedAt <= now {
            phase = .active
            changes.append((startedAt, .started, "the system began it as planned"))
        }
        if phase == .active, let staleAt, staleAt <= now {
            phase = .stale
            changes.append((staleAt, .stale, "its stale date has passed"))
        }
        if !phase.isOver, activeUntil <= now {
            end(at: activeUntil, dismissAt: nil)
            changes.append((activeUntil, .ended, "active for 8 hours, so the system ended it"))
        }
        if phase == .ended, let dismissAt, dismissAt <= now {
            phase = .dismissed
            changes.append((dismissAt, .dismissed, "its time on the Lock Screen is over"))
        }
        return changes
    }
}
