public import APNs
public import Domain

extension PhoneResult {
    /// What an answer means for one registration. What has failed for too long is given up.
    /// - Parameters:
    ///   - version: of the newest decision that the push carried.
    ///   - completed: up to which the fan-out completes decisions.
    ///   - change: the activity's newest.
    public static func of(
        _ result: PushResult, for registration: Registration, version: Int64,
        completing completed: Int64, since change: Moment?, now: Moment,
        _ rules: GiveUpRules.Bounds
    ) -> PhoneResult {
        let effect = meaning(of: result, registration, version: version, now: now)
        var phone = PhoneResult(
            registrationID: registration.id, tokenVersion: registration.tokenVersion,
            effect: effect,
            needsNoWrite: registration.isUpToDate && effect == .accepted(version: completed))
        if case .retry(_, let reason) = effect, !phone.waitsForApp,
            rules.isExhausted(
                attempts: registration.attempts + 1,
                since: max(change ?? registration.registeredAt, registration.registeredAt),
                now: now)
        {
            phone.effect = .givenUp(reason: reason)
        }
        return phone
    }

    /// An earlier push covered it for the phone.
    public static func covered(_ registration: Registration, version: Int64) -> PhoneResult {
        PhoneResult(
            registrationID: registration.id, tokenVersion: registration.tokenVersion,
            effect: .accepted(version: version), needsNoWrite: true, wasCoveredByEarlierPush: true)
    }

    /// The state is too large for a push: nothing was sent, and the phone is owed nothing until
    /// there is one that fits.
    public static func tooLarge(_ registration: Registration) -> PhoneResult {
        PhoneResult(
            registrationID: registration.id, tokenVersion: registration.tokenVersion,
            effect: .givenUp(reason: "too-large"))
    }

    private static func meaning(
        of result: PushResult, _ registration: Registration, version: Int64, now: Moment
    ) -> Effect {
        let soon = now.adding(
            seconds: RetryDelay.seconds(attempts: registration.attempts))
        switch result {
        case .notAnswered(let reason, _): return .retry(at: soon, reason: reason)
        case .deferred(let reason, let seconds):
            return .retry(at: now.adding(seconds: seconds), reason: reason)
        case .answered(let response):
            let reason = response.failure
            switch response.verdict {
            case .accepted: return .accepted(version: version)
            case .retryLater, .connectionUnfit: return .retry(at: soon, reason: reason)
            case .credentialsRefused:
                return .retry(
                    at: now.adding(seconds: Limits.refusedKeyRetrySeconds),
                    reason: reason)
            case .tokenDead(let since):
                // A phone that registered since is believed for a while, and then APNs is.
                let isDoubted = registration.attempts < Limits.deadTokenAttemptsMax
                return .dead(
                    reason: reason, since: isDoubted ? since.map(moment(milliseconds:)) : nil,
                    retryAt: soon)
            case .tokenUnfit: return .unfit(reason: reason)
            case .requestRefused, .channelGone, .limitReached, .featureDisabled:
                return .givenUp(reason: reason)
            }
        }
    }

    /// APNs counts in milliseconds. A time far from any possible one is as good as the nearest.
    private static func moment(milliseconds: Int64) -> Moment {
        Moment(unixSeconds: 0).adding(seconds: Double(max(milliseconds, 0)) / 1000)
    }
}
