public import Domain
import Foundation

/// The clock's events, folded and assessed in the same way for every kind.
extension ActivityCatalog {
    /// Where the activity stands in time, without a look at its facts.
    /// - Throws: `FoldError` when its kind is unknown or another version of Islet stored it.
    public func lifetime(of snapshot: Snapshot) throws(FoldError) -> Lifetime {
        guard kind(named: snapshot.kind) != nil else { throw .unknownKind(snapshot.kind) }
        return try Lifetime(storedIn: snapshot)
    }

    /// The event that the clock brings about next for the activity unless another one comes first,
    /// when its `occurredAt` has come; nil when nothing is left to come, and for a blocked
    /// activity, into which nothing can be folded.
    ///
    /// It carries the version that it was derived from: when a report came first, the log refuses
    /// it, and the newer snapshot says what is due now. Its id is made from that version too, so
    /// that two nodes which find the same thing due append it once; and from the snapshot's
    /// position, because an activity that was dropped and is reported again begins with version 1.
    /// Two versions of Islet that make two ids of it append it once as well: the log takes only one
    /// event after a version.
    /// - Parameters:
    ///   - streamVersion: the last version of the activity's stream, which is beyond the snapshot's
    ///     when the events after it were parked without blocking it, or skipped; nil for the
    ///     snapshot's.
    ///   - now: when the clock looks; nil: as soon as anything is due.
    /// - Throws: as `lifetime(of:)` does.
    public func nextDue(
        _ snapshot: Snapshot, after streamVersion: Int64? = nil, at now: Moment? = nil
    ) throws(FoldError) -> NewEvent? {
        guard snapshot.blockage == nil else { return nil }
        guard let kind = kind(named: snapshot.kind) else { throw .unknownKind(snapshot.kind) }
        // Into a snapshot whose facts cannot be read nothing can be folded.
        func lifetime<K: ActivityKind>(_ kind: K.Type) throws(FoldError) -> Lifetime {
            try StoredState<K>(snapshot).lifetime
        }
        guard let due = try lifetime(kind).nextDue(at: now) else { return nil }
        let version = streamVersion ?? snapshot.version
        return NewEvent(
            id: "\(due.event.type)/\(version)@\(snapshot.position)/\(snapshot.activityID)",
            source: ActivityClock.source, type: due.event.type, activityID: snapshot.activityID,
            occurredAt: due.at, data: Data("{}".utf8), expectedVersion: version)
    }
}

extension StoredState {
    /// Says what the clock's event is worth, and moves the lifetime on by it. The state stays.
    mutating func assessAndAdvance(
        _ event: ActivityClock.Event, at moment: Moment, recordedAt: Moment, under policy: Policy
    ) -> Assessment {
        let before = lifetime
        guard lifetime.apply(event, at: moment, recordedAt: recordedAt, under: policy) else {
            return .overtaken
        }
        guard case .promiseBroken = event, let promise = lifetime.promise else {
            var assessment = Assessment.clock(
                event, lifetime, before: before, at: recordedAt, under: policy)
            // A fresh card has no score that it could keep.
            if case .restartDue = event {
                assessment.relevanceScore = Kind.relevanceScore(of: state, under: policy)
            }
            return assessment
        }
        var assessment = Kind.assess(
            BrokenPromise<Kind>(
                state: state, overdueSeconds: max(moment, recordedAt).seconds(since: promise.at),
                policy: policy))
        assessment.staleAt = lifetime.staleAt
        noteQuietHours(assessment, occurredAt: recordedAt, recordedAt: recordedAt, under: policy)
        return assessment
    }
}

extension Assessment {
    /// What the clock's event is worth. Ends are pushed, and at the end of quiet hours what they
    /// kept back, and fresh cards are started: of the other two the phone knows by itself.
    fileprivate static func clock(
        _ event: ActivityClock.Event, _ lifetime: Lifetime, before: Lifetime, at now: Moment,
        under policy: Policy
    ) -> Assessment {
        switch event {
        case .wentStale:
            Assessment(
                significance: .none, rule: ClockRules.stale.name,
                reason: "No report came in time; the phone marks its card as stale by itself.",
                staleAt: lifetime.staleAt, relevanceScore: 0)
        case .quietHoursEnded: quietHoursOver(lifetime, before: before, under: policy)
        case .restartDue:
            restart(lifetime, limitAt: before.limitAt, isNow: lifetime.renewedAt == now)
        case .promiseBroken:
            Assessment(significance: .none, rule: "overdue", reason: "Nothing was promised.")
        case .endGracePassed:
            Assessment(
                significance: .timely, rule: ClockRules.endGrace.name,
                reason: "The end was reported, and nothing has changed since: the card ends.",
                isCritical: true, relevanceScore: 0,
                ending: Ending(
                    dismissAfterSeconds: before.pendingEnd?.dismissAfterSeconds ?? 0))
        case .timeLimitReached:
            Assessment(
                significance: .timely, rule: ClockRules.timeLimit.name,
                reason: "Eight hours are over, and no Live Activity may run for longer.",
                relevanceScore: 0,
                ending: Ending(dismissAfterSeconds: Limits.dismissAfterLimitSeconds))
        case .dismissed:
            Assessment(
                significance: .none, rule: ClockRules.dismissed.name,
                reason: "The card has left the Lock Screen.", relevanceScore: 0)
        }
    }

    /// The policy may have been changed since, and then they last longer. Or the clock comes so
    /// late that others have begun.
    private static func quietHoursOver(
        _ lifetime: Lifetime, before: Lifetime, under policy: Policy
    ) -> Assessment {
        let isOver = lifetime.quietUntil == nil
        let lasting = before.quietUntil.flatMap { policy.quietHours?.end(at: $0) }
        var assessment = Assessment(
            significance: .none, rule: ClockRules.quietHoursOver.name,
            reason: isOver
                ? "Quiet hours are over."
                : lasting == lifetime.quietUntil
                    ? "Quiet hours last longer now."
                    : "Quiet hours were over, and had begun again when this was recorded.",
            staleAt: lifetime.staleAt)
        assessment.endsQuietHours = isOver
        return assessment
    }

    /// Whether fresh cards are wanted: by a changed policy they are due later or never.
    private static func restart(
        _ lifetime: Lifetime, limitAt: Moment, isNow: Bool
    ) -> Assessment {
        var assessment = Assessment(
            significance: isNow ? .timely : .none, rule: ClockRules.restart.name,
            reason: isNow
                ? "On phones where cards can be started remotely, fresh ones take the place of "
                    + "those that would have ended at \(limitAt.rfc3339)."
                : "Fresh cards are not wanted now any more.",
            staleAt: lifetime.staleAt)
        assessment.restarts = isNow
        return assessment
    }

    /// A report came between finding the time due and recording it.
    fileprivate static let overtaken = Assessment(
        significance: .none, rule: ClockRules.overtaken.name,
        reason: "A newer report has moved the time that the clock spoke of.", relevanceScore: 0)
}
