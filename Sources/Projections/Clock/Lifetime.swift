public import Domain
public import JSON

/// Where an activity stands in time, whatever its kind: how fresh it is, when its eight hours are
/// over, when its card leaves the Lock Screen.
///
/// It is folded beside the kind's own facts. Reports set the times, `nextDue` says which of them
/// comes next, and the clock's event says that it has come. All times count from `recordedAt`, so
/// no source can date an activity's end. An example with the standard policy: a pizza is ordered at
/// 18:00 (`appearedAt`, `liveSince`) and promised for 19:00, and nothing is reported after that.
///
/// - 19:10 `wentStale`: `staleAt` is ten minutes after the expected arrival. `isStale` is set.
/// - 19:20 `promiseBroken`: the promise has a step of 20 minutes, and `passedSteps` becomes 1. The
///   next ones come at 19:40, 20:20 …: two, four … steps after the promise.
/// - 02:00 `timeLimitReached`: `end` is set, with `dismissAt` 02:15. `staleAt` and `promise` are
///   cleared. A delivery reported at 19:30 would have set `end` then, with `dismissAt` 19:45.
/// - 02:15 `dismissed`: the card is gone, and nothing is due any more.
///
/// A match has a grace of two minutes. Full time recorded at 21:50 sets `pendingEnd.endsAt` to
/// 21:52, and the clock's `endGracePassed` sets `end` then. If a correction says before that the
/// match goes on, `pendingEnd` is cleared. If it changes the result, the two minutes begin again.
public struct Lifetime: Codable, Hashable, Sendable {
    /// The activity is over, by a report or by the clock.
    public struct End: Codable, Hashable, Sendable {
        /// When the end was recorded.
        public var at: Moment
        /// When the card leaves the Lock Screen.
        public var dismissAt: Moment
    }

    /// An end by the facts that may still be corrected.
    public struct PendingEnd: Codable, Hashable, Sendable {
        /// When the card ends unless the facts change before.
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
    /// Nil unless the facts say that it is over and its grace has not passed.
    public private(set) var pendingEnd: PendingEnd?
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

    private enum CodingKeys: String, CodingKey {
        case appearedAt, liveSince, plannedStart, staleAt, end, promise, quietUntil, renewedAt
        case restartBeforeSeconds, mark
        case pendingEnd = "closing"
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

    /// When the clock ends it: if a promise is known, four hours after that at the earliest. So an
    /// order placed at 9:00 for 20:00 ends at midnight and not at 17:00. Do not move this into
    /// `limitAt`: old logs would fold to other states.
    private var limitDueAt: Moment {
        guard let promise,
            promise.at <= appearedAt.adding(seconds: Limits.promisedAheadSecondsMax)
        else { return limitAt }
        return max(limitAt, promise.at.adding(seconds: Limits.liveSecondsMax / 2))
    }

    /// When fresh cards are to take the place of the old ones; nil for never.
    private var restartAt: Moment? {
        guard liveSince != nil, end == nil, pendingEnd == nil, let restartBeforeSeconds else {
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

    /// A report that changes nothing that phones show need not be assessed. Each one counts after
    /// the end, while quiet hours keep something back, and once a promise is broken. Replays only,
    /// see `AssessingFold+Replay.swift`.
    var isUndisturbed: Bool { end == nil && quietUntil == nil && promise?.passedSteps ?? 0 == 0 }

    /// What the clock will bring about next, and when; nil when nothing is left to come.
    ///
    /// Nobody wants fresh cards if the limit is over too, as after an import or on a server that
    /// was down. Do not move this into `restartAt`: old logs would fold to other states.
    /// - Parameter now: when the clock looks; nil: as soon as anything is due.
    public func nextDue(at now: Moment? = nil) -> (at: Moment, event: ActivityClock.Event)? {
        if isDismissed { return nil }
        if let end { return (end.dismissAt, .dismissed) }
        var next = (at: limitDueAt, event: ActivityClock.Event.timeLimitReached)
        let isTooLate = now.map { $0 >= limitDueAt } ?? false
        if let restartAt, !isTooLate { next = (restartAt, .restartDue) }
        if !isStale, let staleAt, staleAt < next.at { next = (staleAt, .wentStale) }
        if let quietUntil, quietUntil < next.at { next = (quietUntil, .quietHoursEnded) }
        // Do not move the bound on steps into `overdueAt`: old logs would fold to other states.
        if let overdueAt, overdueAt < next.at,
            promise?.passedSteps ?? 0 < Limits.overdueStepsMax
        {
            next = (overdueAt, .promiseBroken)
        }
        if let pendingEnd, pendingEnd.endsAt < next.at {
            next = (pendingEnd.endsAt, .endGracePassed)
        }
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
        // No step of another promise has passed.
        if let known = self.promise, known.at == promise?.at {
            promise?.passedSteps = known.passedSteps
        }
        self.promise = promise
        guard phase == .ended else {
            pendingEnd = nil
            return
        }
        let ending = ending ?? Ending(dismissAfterSeconds: 0)
        guard ending.graceSeconds > 0 else {
            return finish(at: recordedAt, dismissAfterSeconds: ending.dismissAfterSeconds)
        }
        // A visible correction may be corrected as well, so the grace begins again.
        let known = isVisible ? nil : pendingEnd?.endsAt
        pendingEnd = PendingEnd(
            endsAt: known ?? recordedAt.adding(seconds: ending.graceSeconds),
            dismissAfterSeconds: ending.dismissAfterSeconds)
    }

    /// Notes until when quiet hours keep an alert back: that of the change just folded, or those of
    /// earlier ones.
    /// - Parameter quietUntil: when the quiet hours at the change's time are over; nil when it was
    ///   in none, and then all alerts that were kept back go out with it.
    mutating func noteQuietHours(isKeptBack: Bool, quietUntil: Moment?) {
        guard end == nil else { return }
        if isKeptBack || quietUntil == nil { self.quietUntil = quietUntil }
    }

    /// The clock says that a time has come. A report may have moved that time since, and then the
    /// event changes nothing.
    /// - Returns: false when the event changes nothing.
    mutating func apply(
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
            guard let pendingEnd, moment >= pendingEnd.endsAt else { return false }
            finish(at: recordedAt, dismissAfterSeconds: pendingEnd.dismissAfterSeconds)
        case .quietHoursEnded:
            guard let due = quietUntil, moment >= due else { return false }
            // By the later of both times: by the earlier one it could still be quiet.
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
            finish(at: recordedAt, dismissAfterSeconds: Limits.dismissAfterLimitSeconds)
        case .dismissed:
            // Logs that are older than the grace have no event that says that it has passed.
            if let pendingEnd, moment >= pendingEnd.endsAt {
                let staysSeconds = moment.seconds(since: pendingEnd.endsAt)
                finish(
                    at: pendingEnd.endsAt,
                    dismissAfterSeconds: min(pendingEnd.dismissAfterSeconds, staysSeconds))
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

    private mutating func finish(at moment: Moment, dismissAfterSeconds: Double) {
        let seconds = min(dismissAfterSeconds, Limits.dismissSecondsMax)
        end = End(at: moment, dismissAt: moment.adding(seconds: seconds))
        staleAt = nil
        pendingEnd = nil
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
            $0.member("closing", pendingEnd)
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

extension Lifetime.PendingEnd: CanonicalValue {
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
