import APNs
import DeliveryRules
import Domain
import Testing

private let start = Moment(unixSeconds: 1_800_000_000)
private let refused = AppGate.Evidence.keyRefused(reason: "InvalidProviderToken")

/// The token of a phone, which follows an activity of its own unless one is named.
private func unfit(
    _ phone: Int, activity: Int? = nil, isProven: Bool = false
) -> AppGate.Evidence {
    let origin = PushOrigin(
        activity: "order-\(activity ?? phone)", phone: "phone-\(phone)", isProven: isProven)
    return .tokenUnfit(reason: "BadDeviceToken", of: origin)
}

private func stopped() -> AppGate {
    var gate = AppGate()
    _ = gate.answered(refused, isProbe: false, at: start)
    return gate
}

extension AppGate {
    /// - Returns: the last change.
    fileprivate mutating func answered(
        _ evidence: [Evidence], at now: Moment = start
    ) -> Change? {
        var last: Change?
        for evidence in evidence { last = answered(evidence, isProbe: false, at: now) ?? last }
        return last
    }

    fileprivate static var ofUnfitTokens: AppGate {
        var gate = AppGate()
        _ = gate.answered((0..<20).map { unfit($0) })
        return gate
    }
}

struct `An app whose key APNs refuses` {
    @Test func `is stopped by the first answer, and is sent nothing until a probe`() {
        var gate = AppGate()
        #expect(gate.admit(at: start) == .send)
        let change = gate.answered(refused, isProbe: false, at: start)
        let probeAt = start.adding(seconds: 30)
        #expect(
            change == .stopped(.keyRefused, reason: "InvalidProviderToken", probeAt: probeAt))
        #expect(gate.admit(at: start.adding(seconds: 10)) == .deferred(.keyRefused, seconds: 20))
        #expect(gate.suspension(at: start.adding(seconds: 29)) == .keyRefused)
        #expect(gate.suspension(at: probeAt) == nil)
        #expect(gate.suspension == .keyRefused)
    }

    @Test func `has a wrong clock if APNs takes a fresh token for an expired one`() {
        var gate = AppGate()
        let expired = AppGate.Evidence.keyRefused(reason: "ExpiredProviderToken")
        let change = gate.answered(expired, isProbe: false, at: start)
        #expect(
            change
                == .stopped(
                    .clockWrong, reason: "ExpiredProviderToken", probeAt: start.adding(seconds: 30))
        )
        #expect(gate.answered(.fits, isProbe: true, at: start.adding(seconds: 30)) == .resumed)
    }

    @Test func `lets one probe through at a time, later and later`() {
        var gate = stopped()
        var now = start
        for delay: Double in [30, 60, 120, 240, 480, 900, 900] {
            let early = gate.admit(at: now.adding(seconds: delay - 1))
            #expect(early == .deferred(.keyRefused, seconds: 1))
            now = now.adding(seconds: delay)
            #expect(gate.admit(at: now) == .probe)
            let second = gate.admit(at: now)
            guard case .deferred = second else {
                Issue.record("a second one went through: \(second)")
                return
            }
            let change = gate.answered(refused, isProbe: true, at: now)
            guard case .stillStopped(.keyRefused, _, let next) = change else {
                Issue.record("\(String(describing: change))")
                return
            }
            #expect(next > now)
        }
    }

    @Test func `goes on when any answer shows that the key counts again`() {
        for evidence in [AppGate.Evidence.fits, unfit(1)] {
            var gate = stopped()
            #expect(gate.answered(evidence, isProbe: true, at: start) == .resumed)
            #expect(gate.admit(at: start) == .send)
        }
    }

    @Test func `is probed at once when the clock has been set back by more than a pause`() {
        var gate = stopped()
        let mended = start.adding(seconds: -4_000)
        #expect(gate.suspension(at: mended) == nil)
        #expect(gate.admit(at: mended) == .probe)
        #expect(gate.admit(at: mended) == .deferred(.keyRefused, seconds: 30))
        #expect(gate.answered(.fits, isProbe: true, at: mended) == .resumed)
    }

    @Test func `stays stopped by those that were under way, and by no answer`() {
        var gate = stopped()
        #expect(gate.answered(refused, isProbe: false, at: start.adding(seconds: 5)) == nil)
        #expect(gate.answered(.inconclusive, isProbe: true, at: start.adding(seconds: 5)) == nil)
        #expect(gate.admit(at: start.adding(seconds: 29)) == .deferred(.keyRefused, seconds: 1))
    }

    @Test func `is probed again when nobody answers the probe`() {
        var gate = stopped()
        let probeAt = start.adding(seconds: 30)
        #expect(gate.admit(at: probeAt) == .probe)
        #expect(gate.admit(at: probeAt.adding(seconds: 29)) == .deferred(.keyRefused, seconds: 1))
        #expect(gate.admit(at: probeAt.adding(seconds: 30)) == .probe)
    }
}

struct `An app whose tokens APNs does not know` {
    @Test func `is stopped by many phones of many activities in a row and not by fewer`() {
        var gate = AppGate()
        #expect(gate.answered((0..<19).map { unfit($0) }) == nil)
        #expect(gate.admit(at: start) == .send)
        let change = gate.answered([unfit(19)])
        guard case .stopped(.tokensUnfit, reason: "BadDeviceToken", _) = change else {
            Issue.record("\(String(describing: change))")
            return
        }
    }

    @Test func `is stopped by no number of tokens of one activity`() {
        var gate = AppGate()
        #expect(gate.answered((0..<10_000).map { unfit($0, activity: 1) }) == nil)
        #expect(gate.admit(at: start) == .send)
    }

    @Test func `is stopped by no number of tokens of one phone`() {
        var gate = AppGate()
        #expect(gate.answered((0..<10_000).map { unfit(1, activity: $0) }) == nil)
        #expect(gate.answered([.tokenUnfit(reason: "BadDeviceToken", of: nil)]) == nil)
        #expect(gate.admit(at: start) == .send)
    }

    @Test func `is stopped by one token again and again, even a proven one, as little`() {
        var gate = AppGate()
        #expect(gate.answered((0..<100).map { _ in unfit(1, isProven: true) }) == nil)
        #expect(gate.admit(at: start) == .send)
    }

    @Test func `is stopped by many phones of one activity whose tokens had been accepted`() {
        var gate = AppGate()
        #expect(gate.answered([.fits]) == nil)
        let phones = (0..<19).map { unfit($0, activity: 1, isProven: true) }
        #expect(gate.answered(phones) == nil)
        #expect(gate.answered([unfit(19, activity: 1, isProven: true)]) != nil)
        #expect(gate.suspension == .tokensUnfit)
    }

    @Test func `is set up rightly if one was accepted a while ago`() {
        var gate = AppGate()
        #expect(gate.answered([.fits], at: start) == nil)
        #expect(gate.isClear)
        let many = (0..<100).map { unfit($0) }
        #expect(gate.answered(many, at: start.adding(seconds: 599)) == nil)
        #expect(gate.suspension == nil)
        #expect(gate.answered([unfit(100)], at: start.adding(seconds: 600)) != nil)
        #expect(gate.suspension == .tokensUnfit)
    }

    @Test func `goes on counting from nothing after one that fits`() {
        var gate = AppGate()
        #expect(gate.answered((0..<19).map { unfit($0) }) == nil)
        #expect(!gate.isClear)
        #expect(gate.answered([.fits]) == nil)
        #expect(gate.isClear)
        let later = start.adding(seconds: 3600)
        #expect(gate.answered([unfit(19)], at: later) == nil)
        #expect(gate.admit(at: later) == .send)
    }

    @Test func `goes on by a token that fits, and by no other`() {
        var gate = AppGate.ofUnfitTokens
        let probeAt = start.adding(seconds: 30)
        #expect(gate.admit(at: probeAt) == .probe)
        let change = gate.answered(unfit(20), isProbe: true, at: probeAt)
        guard case .stillStopped(.tokensUnfit, _, _) = change else {
            Issue.record("\(String(describing: change))")
            return
        }
        #expect(gate.answered(.fits, isProbe: true, at: probeAt) == .resumed)
    }

    @Test func `sends at once to a phone whose token had been accepted, one at a time`() {
        var gate = AppGate.ofUnfitTokens
        #expect(gate.admit(at: start) == .deferred(.tokensUnfit, seconds: 30))
        #expect(gate.admit(at: start, isProven: true) == .probe)
        // The others of its page follow as soon as that is answered.
        #expect(gate.admit(at: start, isProven: true) == .deferred(.tokensUnfit, seconds: 1))
        #expect(gate.answered(.fits, isProbe: true, at: start) == .resumed)
        #expect(gate.admit(at: start) == .send)
    }

    @Test func `sends such phones less and less often when they are refused as well`() {
        var gate = AppGate.ofUnfitTokens
        var now = start
        for (number, pause): (Int, Double) in [(1, 2), (2, 4), (3, 8), (4, 16), (5, 30), (6, 30)] {
            #expect(gate.admit(at: now, isProven: true) == .probe)
            let answer = unfit(number, isProven: true)
            #expect(gate.answered(answer, isProbe: true, at: now) != nil)
            let early = now.adding(seconds: pause - 1)
            #expect(gate.admit(at: early, isProven: true) == .deferred(.tokensUnfit, seconds: 1))
            now = now.adding(seconds: pause)
        }
    }

    @Test func `is the only one that such phones are an exception to`() {
        var gate = stopped()
        #expect(gate.admit(at: start, isProven: true) == .deferred(.keyRefused, seconds: 30))
    }
}

@Test func `an answer says something of the app, of the phone, or of neither`() {
    func evidence(_ status: Int, _ reason: Reason.Known?) -> AppGate.Evidence {
        AppGate.Evidence(PushResponse(status: status, reason: reason.map { .known($0) }))
    }
    #expect(evidence(200, nil) == .fits)
    #expect(evidence(410, .unregistered) == .fits)
    #expect(evidence(400, .badDeviceToken) == .tokenUnfit(reason: "BadDeviceToken", of: nil))
    #expect(evidence(403, .invalidProviderToken) == refused)
    #expect(
        evidence(403, .expiredProviderToken) == .keyRefused(reason: "ExpiredProviderToken"))
    #expect(evidence(400, .topicDisallowed) == .keyRefused(reason: "TopicDisallowed"))
    #expect(evidence(503, .serviceUnavailable) == .inconclusive)
    #expect(evidence(413, .payloadTooLarge) == .inconclusive)
    #expect(evidence(403, .unrelatedKeyIdInToken) == .inconclusive)
}

/// All of Apple's reasons for channels alone, but for `TopicMismatch`, which is about the key.
@Test(
    arguments: [
        .featureNotEnabled, .missingChannelId, .badChannelId, .channelNotRegistered,
        .badRequestParams, .badRequestPayload, .missingPushType, .cannotCreateChannelConfig,
    ] as [Reason.Known])
func `what APNs says of a channel stops no pushes of its app`(reason: Reason.Known) {
    let response = PushResponse(status: 400, reason: .known(reason))
    #expect(AppGate.Evidence(response) == .inconclusive)
}
