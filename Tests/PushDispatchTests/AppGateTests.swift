import APNs
import Domain
import PushDispatch
import Testing

private let start = Moment(unixSeconds: 1_800_000_000)
private let refused = AppGate.Evidence.keyRefused(reason: "InvalidProviderToken")
private let unfit = AppGate.Evidence.tokenUnfit(reason: "BadDeviceToken")

private func stopped(by evidence: AppGate.Evidence = refused, times: Int = 1) -> AppGate {
    var gate = AppGate()
    for _ in 0..<times { _ = gate.answered(evidence, isProbe: false, at: start) }
    return gate
}

struct `An app whose key APNs refuses` {
    @Test func `is stopped by the first answer, and is sent nothing until a probe`() {
        var gate = AppGate()
        #expect(gate.admit(at: start) == .send)
        let change = gate.answered(refused, isProbe: false, at: start)
        let probeAt = start.adding(seconds: 30)
        #expect(
            change == .stopped(.keyRefused, reason: "InvalidProviderToken", probeAt: probeAt))
        #expect(gate.admit(at: start.adding(seconds: 10)) == .held(.keyRefused, seconds: 20))
        #expect(gate.hold(at: start.adding(seconds: 29)) == .keyRefused)
        #expect(gate.hold(at: probeAt) == nil)
        #expect(gate.hold == .keyRefused)
    }

    @Test func `lets one probe through at a time, later and later`() {
        var gate = stopped()
        var now = start
        for delay: Double in [30, 60, 120, 240, 480, 900, 900] {
            let early = gate.admit(at: now.adding(seconds: delay - 1))
            #expect(early == .held(.keyRefused, seconds: 1))
            now = now.adding(seconds: delay)
            #expect(gate.admit(at: now) == .probe)
            let second = gate.admit(at: now)
            guard case .held = second else {
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
        for evidence in [AppGate.Evidence.fits, unfit] {
            var gate = stopped()
            #expect(gate.answered(evidence, isProbe: true, at: start) == .resumed)
            #expect(gate.admit(at: start) == .send)
        }
    }

    @Test func `stays stopped by those that were under way, and by no answer`() {
        var gate = stopped()
        #expect(gate.answered(refused, isProbe: false, at: start.adding(seconds: 5)) == nil)
        #expect(gate.answered(.none, isProbe: true, at: start.adding(seconds: 5)) == nil)
        #expect(gate.admit(at: start.adding(seconds: 29)) == .held(.keyRefused, seconds: 1))
    }

    @Test func `is probed again when nobody answers the probe`() {
        var gate = stopped()
        let probeAt = start.adding(seconds: 30)
        #expect(gate.admit(at: probeAt) == .probe)
        #expect(gate.admit(at: probeAt.adding(seconds: 29)) == .held(.keyRefused, seconds: 1))
        #expect(gate.admit(at: probeAt.adding(seconds: 30)) == .probe)
    }
}

struct `An app whose tokens APNs does not know` {
    @Test func `is stopped by many in a row and not by fewer`() {
        var gate = stopped(by: unfit, times: 19)
        #expect(gate.admit(at: start) == .send)
        let change = gate.answered(unfit, isProbe: false, at: start)
        guard case .stopped(.tokensUnfit, reason: "BadDeviceToken", _) = change else {
            Issue.record("\(String(describing: change))")
            return
        }
    }

    @Test func `goes on counting from nothing after one that fits`() {
        var gate = stopped(by: unfit, times: 19)
        #expect(gate.answered(.fits, isProbe: false, at: start) == nil)
        #expect(gate.answered(unfit, isProbe: false, at: start) == nil)
        #expect(gate.admit(at: start) == .send)
    }

    @Test func `goes on by a token that fits, and by no other`() {
        var gate = stopped(by: unfit, times: 20)
        let probeAt = start.adding(seconds: 30)
        #expect(gate.admit(at: probeAt) == .probe)
        let change = gate.answered(unfit, isProbe: true, at: probeAt)
        guard case .stillStopped(.tokensUnfit, _, _) = change else {
            Issue.record("\(String(describing: change))")
            return
        }
        #expect(gate.answered(.fits, isProbe: true, at: probeAt) == .resumed)
    }
}

@Test func `what an answer says of the app is told from what it says of the phone`() {
    func evidence(_ status: Int, _ reason: Reason.Known?) -> AppGate.Evidence {
        AppGate.Evidence(PushResponse(status: status, reason: reason.map { .known($0) }))
    }
    #expect(evidence(200, nil) == .fits)
    #expect(evidence(410, .unregistered) == .fits)
    #expect(evidence(400, .badDeviceToken) == .tokenUnfit(reason: "BadDeviceToken"))
    #expect(evidence(403, .invalidProviderToken) == refused)
    #expect(
        evidence(403, .expiredProviderToken) == .keyRefused(reason: "ExpiredProviderToken"))
    #expect(evidence(400, .topicDisallowed) == .keyRefused(reason: "TopicDisallowed"))
    #expect(evidence(503, .serviceUnavailable) == .none)
    #expect(evidence(413, .payloadTooLarge) == .none)
    #expect(evidence(403, .unrelatedKeyIdInToken) == .none)
}
