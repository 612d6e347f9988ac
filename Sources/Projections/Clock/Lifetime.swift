public import Domain

/// Where an activity stands in time, whatever its kind: how fresh it is, when its eight hours are
/// over, when its card leaves the Lock Screen.
///
/// Folded beside the kind's own facts, from the same log: reports set the times, and the clock's
/// events say that one has come. All of it is counted from `recordedAt`, which the log orders, so
/// no source can date an activity's end.
public struct Lifetime: Codable, Hashable, Sendable {
    /// The activity is over, by a report or by the clock.
    public struct End: Codable, Hashable, Sendable {
        public var at: Moment
        /// When the card leaves the Lock Screen.
        public var dismissAt: Moment
    }

    /// When the first report was recorded.
    public private(set) var appearedAt: Moment
    /// When it went live; nil while it is only scheduled.
    public private(set) var liveSince: Moment?
    /// When it is to go live, as far as anybody has said; nil once it is.
    public private(set) var plannedStart: Moment?
    /// When it goes stale, or went, unless another report comes; nil after the end.
    public private(set) var staleAt: Moment?
    public private(set) var end: End?
    /// When the quiet hours are over that have kept an alert back; nil when none is kept back.
    public private(set) var quietUntil: Moment?
    /// When fresh cards last took the place of the old ones; nil when none did.
    public private(set) var renewedAt: Moment?
    /// So long before the limit they are to do so again; nil for never.
    private var restartBeforeSeconds: Double?
    /// Nil most of the time, so that most snapshots are not longer for it.
    private var mark: Mark?

    private enum Mark: String, Codable {
        case stale, dismissed
    }

    public init(appearedAt: Moment) {
        self.appearedAt = appearedAt
    }

    /// For a snapshot that was stored before lifetimes were: counted from its newest report.
    init(of snapshot: Snapshot) {
        self.init(appearedAt: snapshot.updatedAt)
        switch snapshot.phase {
        case .scheduled: break
        case .live: liveSince = snapshot.updatedAt
        case .ended: close(at: snapshot.updatedAt, dismissAfterSeconds: 0)
        }
    }

    public var isStale: Bool { mark == .stale }

    /// The card is gone: nothing about it can change for anybody any more.
    public var isDismissed: Bool { mark == .dismissed }

    /// When eight hours will be over, of the newest cards. An activity that is only scheduled gets
    /// as long from its planned start, so that one of which nothing is heard any more ends as well.
    public var limitAt: Moment {
        let start = renewedAt ?? liveSince ?? max(appearedAt, plannedStart ?? appearedAt)
        return start.adding(seconds: Limits.liveSecondsMax)
    }

    /// When fresh cards are to take the place of the old ones; nil for never.
    private var restartAt: Moment? {
        guard liveSince != nil, end == nil, let restartBeforeSeconds else { return nil }
        return limitAt.adding(seconds: -restartBeforeSeconds)
    }

    /// What the clock will bring about next, and when; nil when nothing is left to come.
    public var nextDue: (at: Moment, type: String)? {
        if isDismissed { return nil }
        if let end { return (end.dismissAt, ActivityClock.Dismissed.type) }
        var next = (at: limitAt, type: ActivityClock.TimeLimitReached.type)
        if let restartAt { next = (restartAt, ActivityClock.RestartDue.type) }
        if !isStale, let staleAt, staleAt < next.at {
            next = (staleAt, ActivityClock.WentStale.type)
        }
        if let quietUntil, quietUntil < next.at {
            next = (quietUntil, ActivityClock.QuietHoursEnded.type)
        }
        return next
    }

    /// A report was folded. After the end it changes nothing here.
    mutating func report(
        phase: Phase, plannedStart: Moment?, staleAt: Moment?, ending: Ending?,
        recordedAt: Moment, under policy: Policy
    ) {
        guard end == nil else { return }
        restartBeforeSeconds = policy.restartBeforeSeconds
        if phase != .scheduled { liveSince = liveSince ?? recordedAt }
        self.plannedStart = liveSince == nil ? plannedStart : nil
        mark = nil
        self.staleAt = staleAt
        if phase == .ended {
            close(at: recordedAt, dismissAfterSeconds: ending?.dismissAfterSeconds ?? 0)
        }
    }

    /// A report was folded that was kept back by quiet hours, or that came while others were.
    /// - Parameter quietUntil: when the quiet hours at its time are over; nil when it was in none,
    ///   and then all that was kept back is told with it.
    mutating func report(isKeptBack: Bool, quietUntil: Moment?) {
        guard end == nil else { return }
        if isKeptBack || quietUntil == nil { self.quietUntil = quietUntil }
    }

    /// The clock says that a time has come. It is believed only about the time that stands now:
    /// what was due by an older state has been overtaken by a report.
    /// - Returns: false when the event changes nothing.
    mutating func come(
        _ event: ActivityClock.Event, at moment: Moment, recordedAt: Moment, under policy: Policy
    ) -> Bool {
        switch event {
        case .wentStale:
            guard let staleAt, !isStale, moment >= staleAt else { return false }
            mark = .stale
        case .quietHoursEnded:
            guard let due = quietUntil, moment >= due else { return false }
            // By the later of two clocks, or the one that is behind would call it quiet still.
            quietUntil = policy.quietHours?.end(at: max(moment, recordedAt))
        case .restartDue:
            guard let due = restartAt, moment >= due else { return false }
            // The policy may have been changed since.
            restartBeforeSeconds = policy.restartBeforeSeconds
            if let due = restartAt, max(moment, recordedAt) >= due {
                renewedAt = recordedAt
                // Not again before the next report: a dead feed's activities end.
                restartBeforeSeconds = nil
            }
        case .timeLimitReached:
            guard end == nil, moment >= limitAt else { return false }
            close(at: recordedAt, dismissAfterSeconds: Limits.dismissAfterLimitSeconds)
        case .dismissed:
            guard let end, !isDismissed, moment >= end.dismissAt else { return false }
            mark = .dismissed
        }
        return true
    }

    private mutating func close(at moment: Moment, dismissAfterSeconds: Double) {
        let seconds = min(dismissAfterSeconds, Limits.dismissSecondsMax)
        end = End(at: moment, dismissAt: moment.adding(seconds: seconds))
        staleAt = nil
        quietUntil = nil
        restartBeforeSeconds = nil
        mark = nil
    }
}

extension Lifetime: CanonicalValue {
    public func write(to writer: inout CanonicalWriter) {
        writer.object {
            $0.member("appearedAt", appearedAt)
            $0.member("end", end)
            $0.member("liveSince", liveSince)
            $0.member("mark", mark?.rawValue)
            $0.member("plannedStart", plannedStart)
            $0.member("quietUntil", quietUntil)
            $0.member("renewedAt", renewedAt)
            $0.member("restartBeforeSeconds", restartBeforeSeconds)
            $0.member("staleAt", staleAt)
        }
    }
}

extension Lifetime.End: CanonicalValue {
    public func write(to writer: inout CanonicalWriter) {
        writer.object {
            $0.member("at", at)
            $0.member("dismissAt", dismissAt)
        }
    }
}

extension Policy {
    /// Nil for never.
    fileprivate var restartBeforeSeconds: Double? {
        let seconds = self[.restartBeforeLimit]
        return seconds > 0 ? seconds : nil
    }
}
