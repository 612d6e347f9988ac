public import APNs
public import Domain

/// Whether pushes of one app go out, by what APNs answered to earlier ones. Where all of them fail
/// for one reason that a person must remove, it stops them, and lets one through now and then that
/// shows whether the reason is gone. Every answer may come in every state.
public struct AppGate: Hashable, Sendable {
    /// What one answer says of the app, beside what it says of the phone.
    public enum Evidence: Hashable, Sendable {
        /// The key is accepted, and the token belongs to the app.
        case fits
        /// The key is accepted, but the token does not belong here.
        case tokenUnfit(reason: String, of: PushOrigin?)
        case keyRefused(reason: String)
        case inconclusive
    }

    /// Whether a push may leave now.
    public enum Permit: Hashable, Sendable {
        case send
        /// Its answer decides.
        case probe
        case deferred(AppSuspension, seconds: Double)
    }

    /// What an answer brought about.
    public enum Change: Hashable, Sendable {
        case stopped(AppSuspension, reason: String, probeAt: Moment)
        /// The probe failed too.
        case stillStopped(AppSuspension, reason: String, probeAt: Moment)
        case resumed
    }

    private struct Stop: Hashable, Sendable {
        var suspension: AppSuspension
        var probeAt: Moment
        /// When the next one may go to a phone whose token APNs had accepted before.
        var provenProbeAt: Moment
        var failedProbes = 0

        /// Seconds until the next probe may go out; none if it is further ahead than any pause is,
        /// because the node's clock has been set back since.
        func secondsLeft(at now: Moment, isProven: Bool = false) -> Double {
            let isSooner = isProven && suspension == .tokensUnfit
            let next = isSooner ? min(probeAt, provenProbeAt) : probeAt
            let left = next.seconds(since: now)
            return left > Limits.probeSecondsMax + 1 ? 0 : max(0, left)
        }
    }

    /// What was refused since a token was accepted. As many are remembered as it takes.
    private struct Refused: Hashable, Sendable {
        var activities: Set<String> = []
        var phones: Set<String> = []
        var proven: Set<PushOrigin> = []

        mutating func note(_ origin: PushOrigin) {
            Self.note(origin.activity, in: &activities)
            Self.note(origin.phone, in: &phones)
            if origin.isProven { Self.note(origin, in: &proven) }
        }

        var areManyPhones: Bool { Self.isFull(activities) && Self.isFull(phones) }
        var areManyProven: Bool { Self.isFull(proven) }

        private static func isFull<Element>(_ set: Set<Element>) -> Bool {
            set.count >= Limits.unfitTokensMax
        }

        private static func note<Element>(_ element: Element, in set: inout Set<Element>) {
            if !isFull(set) { set.insert(element) }
        }
    }

    private var stop: Stop?
    private var refused = Refused()
    /// When APNs last accepted a token.
    private var fitAt: Moment?

    public init() {}

    /// Stopped already, by whatever this node or another saw.
    public init(_ suspension: AppSuspension, probeAt: Moment) {
        stop = Stop(
            suspension: suspension, probeAt: probeAt, provenProbeAt: Moment(microseconds: 0))
    }

    /// Nil while pushes go out.
    public var suspension: AppSuspension? { stop?.suspension }

    /// Nil also when a probe is due.
    public func suspension(at now: Moment) -> AppSuspension? {
        stop.flatMap { $0.secondsLeft(at: now) > 0 ? $0.suspension : nil }
    }

    /// Nothing speaks against the app.
    public var isClear: Bool { stop == nil && refused == Refused() }

    /// - Parameter isProven: APNs had accepted the token before.
    public mutating func admit(at now: Moment, isProven: Bool = false) -> Permit {
        guard var stopped = stop else { return .send }
        if stopped.secondsLeft(at: now, isProven: isProven) == 0 {
            // Asked again later should the probe's answer not come.
            let delay = Self.delay(stopped.failedProbes)
            if stopped.secondsLeft(at: now) == 0 { stopped.probeAt = now.adding(seconds: delay) }
            stopped.provenProbeAt = now.adding(seconds: delay * Limits.provenProbeShare)
            stop = stopped
            return .probe
        }
        return .deferred(stopped.suspension, seconds: secondsLeft(at: now, isProven: isProven))
    }

    /// Until the next probe, at least one.
    public func secondsLeft(at now: Moment, isProven: Bool = false) -> Double {
        max(1, stop?.secondsLeft(at: now, isProven: isProven) ?? 0)
    }

    /// Notes what an answer says about the app.
    /// - Returns: nil when it changes nothing.
    public mutating func answered(
        _ evidence: Evidence, isProbe: Bool, at now: Moment
    ) -> Change? {
        switch evidence {
        case .fits:
            refused = Refused()
            fitAt = now
            return resume()
        case .tokenUnfit(let reason, let origin):
            // A key that was refused is accepted again.
            if let stop, stop.suspension != .tokensUnfit { return resume() }
            if let origin { refused.note(origin) }
            guard stop != nil || isWrongAltogether(at: now) else { return nil }
            return refuse(.tokensUnfit, reason, isProbe, now)
        case .keyRefused(let reason):
            let isOfClock = reason == Reason.Known.expiredProviderToken.rawValue
            return refuse(isOfClock ? .clockWrong : .keyRefused, reason, isProbe, now)
        case .inconclusive: return nil
        }
    }

    /// Puts the real reason why it is stopped, once that is known.
    public mutating func correct(_ suspension: AppSuspension) { stop?.suspension = suspension }

    /// No one phone, and nobody with one ticket, can make it look so.
    private func isWrongAltogether(at now: Moment) -> Bool {
        if refused.areManyProven { return true }
        let fitLately = fitAt.map { now.seconds(since: $0) < Limits.fitSecondsMin } ?? false
        return refused.areManyPhones && !fitLately
    }

    private mutating func resume() -> Change? {
        guard stop != nil else { return nil }
        stop = nil
        return .resumed
    }

    private mutating func refuse(
        _ suspension: AppSuspension, _ reason: String, _ isProbe: Bool, _ now: Moment
    ) -> Change? {
        guard var stopped = stop else {
            let probeAt = now.adding(seconds: Self.delay(0))
            stop = Stop(suspension: suspension, probeAt: probeAt, provenProbeAt: now)
            return .stopped(suspension, reason: reason, probeAt: probeAt)
        }
        // Of the many that were under way when it was stopped, only the probe counts.
        guard isProbe else { return nil }
        stopped.failedProbes += 1
        stopped.suspension = suspension
        let delay = Self.delay(stopped.failedProbes)
        stopped.probeAt = now.adding(seconds: delay)
        stopped.provenProbeAt = now.adding(seconds: delay * Limits.provenProbeShare)
        stop = stopped
        return .stillStopped(suspension, reason: reason, probeAt: stopped.probeAt)
    }

    /// Doubled with each failed probe.
    private static func delay(_ failures: Int) -> Double {
        RetryDelay.seconds(
            attempts: failures, from: Limits.probeSecondsMin, upTo: Limits.probeSecondsMax)
    }
}

extension AppGate.Evidence {
    /// - Parameter origin: whose push was answered.
    public init(_ response: PushResponse, of origin: PushOrigin? = nil) {
        let reason = response.failure
        switch response.verdict {
        case .accepted, .tokenDead: self = .fits
        case .tokenUnfit: self = .tokenUnfit(reason: reason, of: origin)
        case .credentialsRefused: self = .keyRefused(reason: reason)
        // The client has tried a fresh token already, so that a clock must be wrong.
        case .connectionUnfit where response.reason == .known(.expiredProviderToken):
            self = .keyRefused(reason: reason)
        case .retryLater, .connectionUnfit, .requestRefused, .channelGone, .limitReached,
            .featureDisabled:
            self = .inconclusive
        }
    }
}
