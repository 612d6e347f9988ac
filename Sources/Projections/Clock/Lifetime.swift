public import Domain
public import JSON

/// Where an activity stands in time, whatever its kind: how fresh it is, when its eight hours are
/// over, when its card leaves the Lock Screen.
///
/// Folded beside the kind's own facts, from the same log: reports set the times, and the clock's
/// events say that one has come. All of it is counted from `recordedAt`, which the log orders, so
/// no source can date an activity's end.
public struct Lifetime: Codable, Hashable, Sendable {
    /// The activity is over, by a report or by the clock.
    public struct End: Codable, Hashable, Sendable {
        /// When the end was recorded.
        public var at: Moment
        /// When the card leaves the Lock Screen.
        public var dismissAt: Moment
    }

    /// The facts say that it is over, and may still be corrected.
    public struct Closing: Codable, Hashable, Sendable {
        /// When its card ends unless the facts change before.
        public var endsAt: Moment
        /// How long the card stays then.
        public var dismissAfterSeconds: Double
    }

    /// What people were promised, and how often they heard that it has not come.
    public struct Promise: Codable, Hashable, Sendable {
        /// When what was promised is to come.
        public var at: Moment
        /// If so long past it nothing is reported, that is worth an alert once the activity is
        /// stale; and again at twice, at four times … as long.
        public var stepSeconds: Double
        /// How many of these steps are past; stored as `told`.
        public fileprivate(set) var passedSteps = 0

        private enum CodingKeys: String, CodingKey {
            case at, stepSeconds
            case passedSteps = "told"
        }

        /// - Returns: nil when nothing is to be said.
        public init?(at moment: Moment, stepSeconds: Double) {
            guard stepSeconds > 0 else { return nil }
            at = moment
            self.stepSeconds = stepSeconds
        }

        /// Whatever number a state by hand has.
        fileprivate mutating func passStep() {
            passedSteps = max(0, min(passedSteps, Int(Int32.max))) + 1
        }

        fileprivate var nextAt: Moment {
            let doublings = min(passedSteps, Limits.overdueStepsMax)
            return at.adding(seconds: stepSeconds * Double(1 << doublings))
        }
    }

    /// When the first report was recorded.
    public private(set) var appearedAt: Moment
    /// When it went live; nil while it is only scheduled.
    public private(set) var liveSince: Moment?
    /// When it is to go live, as far as anybody has said; nil once it is.
    public private(set) var plannedStart: Moment?
    /// When it goes stale, or went, unless another report comes; nil after the end.
    public private(set) var staleAt: Moment?
    /// Nil until it is over.
    public private(set) var end: End?
    /// Nil unless the end was sent and its grace has not passed.
    public private(set) var closing: Closing?
    /// Nil where nothing is promised, and after the end.
    public private(set) var promise: Promise?
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

    /// Nothing was reported for longer than is normal.
    public var isStale: Bool { mark == .stale }

    /// The card is gone: nothing about it can change for anybody any more.
    public var isDismissed: Bool { mark == .dismissed }

    /// When eight hours will be over, of the newest cards. An activity that is only scheduled gets
    /// as long from its planned start, so that one of which nothing is heard any more ends as well.
    public var limitAt: Moment {
        let start = renewedAt ?? liveSince ?? max(appearedAt, plannedStart ?? appearedAt)
        return start.adding(seconds: Limits.liveSecondsMax)
    }

    /// When the clock ends it. An order for the evening has its last card around the promise, half
    /// of the eight hours before it and half after, however early it was placed. Not in `limitAt`:
    /// an event that a log has is folded as it was.
    private var limitDueAt: Moment {
        guard let promise,
            promise.at <= appearedAt.adding(seconds: Limits.promisedAheadSecondsMax)
        else { return limitAt }
        return max(limitAt, promise.at.adding(seconds: Limits.liveSecondsMax / 2))
    }

    /// When fresh cards are to take the place of the old ones; nil for never.
    private var restartAt: Moment? {
        guard liveSince != nil, end == nil, closing == nil, let restartBeforeSeconds else {
            return nil
        }
        return limitAt.adding(seconds: -restartBeforeSeconds)
    }

    /// When people are to hear that what they were promised has not come: not while anybody reports
    /// anything.
    private var overdueAt: Moment? {
        guard let promise, let staleAt else { return nil }
        return max(promise.nextAt, staleAt)
    }

    /// Nothing but the next report matters. Each report counts after the end, while quiet hours
    /// keep something back, and once people heard of a broken promise.
    var isUndisturbed: Bool { end == nil && quietUntil == nil && promise?.passedSteps ?? 0 == 0 }

    /// What the clock will bring about next, and when; nil when nothing is left to come.
    ///
    /// Where the limit is over too, as after an import or on a server that was down, nobody wants
    /// fresh cards any more. Not in `restartAt`: an event that a log has is folded as it was.
    /// - Parameter now: when the clock looks; nil: as soon as anything is due.
    public func nextDue(at now: Moment? = nil) -> (at: Moment, event: ActivityClock.Event)? {
        if isDismissed { return nil }
        if let end { return (end.dismissAt, .dismissed) }
        var next = (at: limitDueAt, event: ActivityClock.Event.timeLimitReached)
        let isTooLate = now.map { $0 >= limitDueAt } ?? false
        if let restartAt, !isTooLate { next = (restartAt, .restartDue) }
        if !isStale, let staleAt, staleAt < next.at { next = (staleAt, .wentStale) }
        if let quietUntil, quietUntil < next.at { next = (quietUntil, .quietHoursEnded) }
        // Of what was promised for another decade people have heard enough. Not in `overdueAt`: an
        // event that a log has is folded as it was.
        if let overdueAt, overdueAt < next.at,
            promise?.passedSteps ?? 0 < Limits.overdueStepsMax
        {
            next = (overdueAt, .promiseBroken)
        }
        if let closing, closing.endsAt < next.at { next = (closing.endsAt, .endGracePassed) }
        return next
    }

    /// A report was folded. After the end it changes nothing here.
    /// - Parameters:
    ///   - phase: by the facts.
    ///   - ending: set when the facts say that all is over.
    ///   - isVisible: whether phones are shown something else.
    mutating func report<K: ActivityKind>(
        _ kind: K.Type, _ state: K.State, _ phase: Phase, staleAt: Moment?, ending: Ending? = nil,
        isVisible: Bool = false, recordedAt: Moment, under policy: Policy
    ) {
        guard end == nil else { return }
        restartBeforeSeconds = policy.restartBeforeSeconds
        if phase != .scheduled { liveSince = liveSince ?? recordedAt }
        plannedStart = liveSince == nil ? kind.plannedStart(of: state) : nil
        mark = nil
        self.staleAt = staleAt
        var promise = kind.promise(of: state, under: policy)
        // Of another promise people have heard nothing.
        if let known = self.promise, known.at == promise?.at {
            promise?.passedSteps = known.passedSteps
        }
        self.promise = promise
        guard phase == .ended else {
            closing = nil
            return
        }
        let ending = ending ?? Ending(dismissAfterSeconds: 0)
        guard ending.graceSeconds > 0 else {
            return close(at: recordedAt, dismissAfterSeconds: ending.dismissAfterSeconds)
        }
        // What was put right may be put right once more.
        let known = isVisible ? nil : closing?.endsAt
        closing = Closing(
            endsAt: known ?? recordedAt.adding(seconds: ending.graceSeconds),
            dismissAfterSeconds: ending.dismissAfterSeconds)
    }

    /// A report was folded that was kept back by quiet hours, or that came while others were.
    /// - Parameter quietUntil: when the quiet hours at its time are over; nil when it was in none,
    ///   and then all that was kept back is said with it.
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
        case .promiseBroken:
            guard let due = overdueAt, moment >= due else { return false }
            repeat { promise?.passStep() } while hasMissedStep(at: max(moment, recordedAt))
        case .endGracePassed:
            guard let closing, moment >= closing.endsAt else { return false }
            close(at: recordedAt, dismissAfterSeconds: closing.dismissAfterSeconds)
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
            // A log of the time before there was a grace has no word of its end.
            if let closing, moment >= closing.endsAt {
                let staysSeconds = moment.seconds(since: closing.endsAt)
                close(
                    at: closing.endsAt,
                    dismissAfterSeconds: min(closing.dismissAfterSeconds, staysSeconds))
            }
            guard let end, !isDismissed, moment >= end.dismissAt else { return false }
            mark = .dismissed
        }
        return true
    }

    /// Whether the clock comes so late that the next step of the promise is past as well.
    private func hasMissedStep(at now: Moment) -> Bool {
        guard let promise, promise.passedSteps < Limits.overdueStepsMax else { return false }
        return promise.nextAt <= now
    }

    private mutating func close(at moment: Moment, dismissAfterSeconds: Double) {
        let seconds = min(dismissAfterSeconds, Limits.dismissSecondsMax)
        end = End(at: moment, dismissAt: moment.adding(seconds: seconds))
        staleAt = nil
        closing = nil
        promise = nil
        quietUntil = nil
        restartBeforeSeconds = nil
        mark = nil
    }
}

extension Lifetime: CanonicalValue {
    public func write(to writer: inout CanonicalWriter) {
        writer.object {
            $0.member("appearedAt", appearedAt)
            $0.member("closing", closing)
            $0.member("end", end)
            $0.member("liveSince", liveSince)
            $0.member("mark", mark?.rawValue)
            $0.member("plannedStart", plannedStart)
            $0.member("promise", promise)
            $0.member("quietUntil", quietUntil)
            $0.member("renewedAt", renewedAt)
            $0.member("restartBeforeSeconds", restartBeforeSeconds)
            $0.member("staleAt", staleAt)
        }
    }
}

extension Lifetime.Closing: CanonicalValue {
    public func write(to writer: inout CanonicalWriter) {
        writer.object {
            $0.member("dismissAfterSeconds", dismissAfterSeconds)
            $0.member("endsAt", endsAt)
        }
    }
}

extension Lifetime.Promise: CanonicalValue {
    public func write(to writer: inout CanonicalWriter) {
        writer.object {
            $0.member("at", at)
            $0.member("stepSeconds", stepSeconds)
            $0.member("told", passedSteps)
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
