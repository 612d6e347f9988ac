import APNs
import DeliveryRules
import Domain
import Testing

private let now = Moment(unixSeconds: 1_800_000_000)

private func registration(
    attempts: Int = 0, isOwed: Bool = false, registeredAt: Moment = now
) -> Registration {
    Registration(
        id: 7, tenant: TenantID(rawValue: 1), activityID: ActivityID(rawValue: "order-1"),
        pushToken: PushToken(stored: String(repeating: "ab", count: 80)), environment: .sandbox,
        bundleID: "com.example.pizza", sentVersion: 0, attempts: attempts,
        registeredAt: registeredAt, tokenVersion: 3, isOwed: isOwed)
}

/// - Parameter since: the activity's newest change.
private func result(
    _ answer: PushResult, for phone: Registration = registration(), completing: Int64 = 5,
    since: Moment? = now
) -> PhoneResult {
    .of(
        answer, for: phone, version: 5, completing: completing, since: since, now: now,
        GiveUpRules().pushes)
}

private func answered(_ status: Int, _ reason: Reason.Known? = nil) -> PushResult {
    .answered(PushResponse(status: status, reason: reason.map { .known($0) }))
}

struct `The result of a phone's push` {
    @Test func `needs no write if the phone was owed nothing and has all of the fan-out`() {
        let usual = result(answered(200))
        #expect(usual.effect == .accepted(version: 5) && usual.needsNoWrite)
        #expect(usual.registrationID == 7 && usual.tokenVersion == 3)
        #expect(!result(answered(200), for: registration(isOwed: true)).needsNoWrite)
        #expect(!result(answered(200), for: registration(attempts: 1)).needsNoWrite)
        #expect(!result(answered(200), completing: 6).needsNoWrite)
    }

    @Test func `is another try after a pause that doubles with each failure`() {
        for attempts in 0..<3 {
            let failed = result(answered(503), for: registration(attempts: attempts))
            let pause = RetryDelay.seconds(attempts: attempts)
            #expect(
                failed.effect == .retry(at: now.adding(seconds: pause), reason: failed.reason))
        }
        let silent = PushResult.notAnswered(reason: "away", mayHaveBeenDelivered: true)
        #expect(
            result(silent).effect
                == .retry(
                    at: now.adding(seconds: RetryDelay.seconds(attempts: 0)), reason: "away"))
    }

    @Test func `waits longer when only a person can help`() {
        let refused = result(answered(403, .invalidProviderToken))
        #expect(
            refused.effect
                == .retry(
                    at: now.adding(seconds: DeliveryRules.Limits.refusedKeyRetrySeconds),
                    reason: "InvalidProviderToken"))
    }

    @Test func `is given up after the last try, or when the newest change is too old`() {
        let rules = GiveUpRules().pushes
        let last = registration(attempts: rules.attemptsMax - 1)
        guard case .givenUp = result(answered(503), for: last).effect else {
            Issue.record("it is tried for ever")
            return
        }
        let old = now.adding(seconds: -rules.ageSecondsMax - 1)
        let longAgo = registration(registeredAt: old)
        guard case .givenUp = result(answered(503), for: longAgo, since: old).effect else {
            Issue.record("what is too old is tried again")
            return
        }
        // A phone that has just registered has not waited for the old change.
        guard case .retry = result(answered(503), since: old).effect else {
            Issue.record("a new phone is given up at once")
            return
        }
    }

    @Test func `is never given up while the phone waits for its app`() {
        let phone = registration(attempts: GiveUpRules().pushes.attemptsMax + 10)
        let suspension = PushResult.deferred(
            reason: AppSuspension.noKey.rawValue, seconds: 600)
        let waiting = result(suspension, for: phone)
        #expect(waiting.waitsForApp)
        #expect(
            waiting.effect
                == .retry(at: now.adding(seconds: 600), reason: AppSuspension.noKey.rawValue))
    }

    @Test func `of a dead token has when APNs learned it, until it was tried often enough`() {
        func answer(_ milliseconds: Int64?) -> PushResult {
            .answered(
                PushResponse(
                    status: 410, reason: .known(.unregistered),
                    timestampMilliseconds: milliseconds))
        }
        func since(_ answer: PushResult, attempts: Int = 0) -> Moment?? {
            let phone = registration(attempts: attempts)
            guard case .dead(_, let since, _) = result(answer, for: phone).effect else {
                return .none
            }
            return .some(since)
        }
        let learned = Moment(unixSeconds: 1_700_000_000)
        #expect(since(answer(1_700_000_000_000)) == .some(learned))
        #expect(since(answer(nil)) == .some(nil))
        #expect(since(answer(-5)) == .some(Moment(unixSeconds: 0)))
        #expect(since(answer(.max)) != .none)
        #expect(since(answer(1_700_000_000_000), attempts: 7) == .some(nil))
    }

    @Test(arguments: [
        (Reason.Known.badDeviceToken, PhoneResult.Effect.unfit(reason: "BadDeviceToken")),
        (.deviceTokenNotForTopic, .unfit(reason: "DeviceTokenNotForTopic")),
        (.payloadTooLarge, .givenUp(reason: "PayloadTooLarge")),
        (.badPriority, .givenUp(reason: "BadPriority")),
    ])
    func `leaves alone what another try would not mend`(
        reason: Reason.Known, effect: PhoneResult.Effect
    ) {
        #expect(result(answered(400, reason)).effect == effect)
    }
}

extension PhoneResult {
    fileprivate var reason: String {
        if case .retry(_, let reason) = effect { reason } else { "" }
    }
}
