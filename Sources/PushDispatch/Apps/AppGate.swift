public import APNs
public import Domain

/// Whether pushes of one app go out, by what APNs answered to earlier ones. Where all of them fail
/// for one reason that a person must remove, it stops them, and lets one through now and then that
/// shows whether the reason is gone. Total: whatever is answered meets any state.
public struct AppGate: Hashable, Sendable {
    /// What one answer says of the app, beside what it says of the phone.
    public enum Evidence: Hashable, Sendable {
        /// The key counts, and the token belongs to the app.
        case fits
        /// The key counts, the token does not belong here.
        case tokenUnfit(reason: String)
        case keyRefused(reason: String)
        case none
    }

    public enum Admission: Hashable, Sendable {
        case send
        /// Its answer decides.
        case probe
        case held(AppHold, seconds: Double)
    }

    /// What an answer brought about.
    public enum Change: Hashable, Sendable {
        case stopped(AppHold, reason: String, probeAt: Moment)
        /// The probe failed too.
        case stillStopped(AppHold, reason: String, probeAt: Moment)
        case resumed
    }

    private struct Stop: Hashable, Sendable {
        var hold: AppHold
        var probeAt: Moment
        var failedProbes = 0
    }

    private var stop: Stop?
    /// In a row.
    private var unfitTokens = 0

    public init() {}

    /// Stopped already, by whatever this node or another saw.
    public init(_ hold: AppHold, probeAt: Moment) {
        stop = Stop(hold: hold, probeAt: probeAt)
    }

    /// Nil while pushes go out.
    public var hold: AppHold? { stop?.hold }

    /// Nil also when a probe is due.
    public func hold(at now: Moment) -> AppHold? {
        stop.flatMap { now < $0.probeAt ? $0.hold : nil }
    }

    public mutating func admit(at now: Moment) -> Admission {
        guard var stopped = stop else { return .send }
        if now >= stopped.probeAt {
            // Asked again later should the probe's answer not come.
            stopped.probeAt = now.adding(seconds: Self.delay(stopped.failedProbes))
            stop = stopped
            return .probe
        }
        return .held(stopped.hold, seconds: secondsLeft(at: now))
    }

    /// Until the next probe, at least one.
    public func secondsLeft(at now: Moment) -> Double {
        max(1, stop?.probeAt.seconds(since: now) ?? 0)
    }

    public mutating func answered(
        _ evidence: Evidence, isProbe: Bool, at now: Moment
    ) -> Change? {
        switch evidence {
        case .fits:
            unfitTokens = 0
            return resume()
        case .tokenUnfit(let reason):
            // A key that was refused counts again.
            if let stop, stop.hold != .tokensUnfit { return resume() }
            unfitTokens += 1
            guard stop != nil || unfitTokens >= Limits.unfitTokensMax else { return nil }
            return refuse(.tokensUnfit, reason, isProbe, now)
        case .keyRefused(let reason): return refuse(.keyRefused, reason, isProbe, now)
        case .none: return nil
        }
    }

    /// A better word for why it is stopped.
    public mutating func explain(_ hold: AppHold) { stop?.hold = hold }

    private mutating func resume() -> Change? {
        guard stop != nil else { return nil }
        stop = nil
        return .resumed
    }

    private mutating func refuse(
        _ hold: AppHold, _ reason: String, _ isProbe: Bool, _ now: Moment
    ) -> Change? {
        guard var stopped = stop else {
            let probeAt = now.adding(seconds: Self.delay(0))
            stop = Stop(hold: hold, probeAt: probeAt)
            return .stopped(hold, reason: reason, probeAt: probeAt)
        }
        // Of the many that were under way when it was stopped, only the probe counts.
        guard isProbe else { return nil }
        stopped.failedProbes += 1
        stopped.hold = hold
        stopped.probeAt = now.adding(seconds: Self.delay(stopped.failedProbes))
        stop = stopped
        return .stillStopped(hold, reason: reason, probeAt: stopped.probeAt)
    }

    /// Doubled with each failed probe.
    private static func delay(_ failures: Int) -> Double {
        var delay = Limits.probeSecondsMin
        for _ in 0..<min(failures, 30) { delay *= 2 }
        return min(delay, Limits.probeSecondsMax)
    }
}

extension AppGate.Evidence {
    public init(_ response: PushResponse) {
        let reason = response.reason?.text ?? "status \(response.status)"
        switch response.verdict {
        case .accepted, .tokenDead: self = .fits
        case .tokenUnfit: self = .tokenUnfit(reason: reason)
        case .credentialsRefused: self = .keyRefused(reason: reason)
        // The client has tried a fresh token already, so that the clock must be wrong.
        case .connectionUnfit where response.reason == .known(.expiredProviderToken):
            self = .keyRefused(reason: reason)
        case .retryLater, .connectionUnfit, .pushRefused: self = .none
        }
    }

    public init(_ response: BroadcastResponse) {
        switch response.verdict {
        case .accepted: self = .fits
        case .credentialsRefused: self = .keyRefused(reason: response.failure)
        case .retryLater where response.reason == .known(.expiredProviderToken):
            self = .keyRefused(reason: response.failure)
        case .channelGone, .limitReached, .featureDisabled, .requestRefused, .retryLater:
            self = .none
        }
    }
}
