import APNs
import APNsClient
import Domain
import EventStore

extension PhoneResult {
    /// What an answer means for one registration.
    static func of(
        _ result: PushResult, for registration: Registration, version: Int64, now: Moment
    ) -> PhoneResult {
        PhoneResult(
            registrationID: registration.id,
            result: outcome(result, registration, version: version, now: now))
    }

    private static func outcome(
        _ result: PushResult, _ registration: Registration, version: Int64, now: Moment
    ) -> Result {
        let soon = now.adding(seconds: retryDelaySeconds(attempts: registration.attempts))
        switch result {
        case .notAnswered(let reason, _): return .retry(at: soon, reason: reason)
        case .answered(let response):
            let reason = response.reason?.text ?? "status \(response.status)"
            switch response.verdict {
            case .accepted: return .accepted(version: version)
            case .retryLater, .connectionUnfit: return .retry(at: soon, reason: reason)
            case .credentialsRefused:
                return .retry(
                    at: now.adding(seconds: Limits.refusedKeyRetrySeconds), reason: reason)
            case .tokenDead(let since):
                return isNewer(registration, thanMilliseconds: since)
                    ? .retry(at: soon, reason: reason) : .dead(reason: reason)
            case .tokenUnfit, .pushRefused: return .refused(reason: reason)
            }
        }
    }

    /// A phone that registered again after APNs found its token dead is alive.
    private static func isNewer(
        _ registration: Registration, thanMilliseconds since: Int64?
    ) -> Bool {
        guard let since else { return false }
        return registration.registeredAt.microseconds > since * 1000
    }

    static func retryDelaySeconds(attempts: Int) -> Double {
        var delay = Limits.retrySecondsMin
        for _ in 0..<min(attempts, 30) { delay *= 2 }
        return min(delay, Limits.retrySecondsMax)
    }
}
