import APNs
import APNsClient
import Delivery
import DeliveryRules
import Domain
import EventLoop
import Foundation
import TestSupport
import Testing
@testable import Simulator

@testable import AppKeys

/// While an app is stopped, the first push of a page goes ahead of the others.
@Suite(.timeLimit(.minutes(3)))
struct `A probe that is refused for a key which is the app's no more` {
    @Test func `is sent again after the others, and each push gets its own answer`()
        async throws
    {
        try await TwoTeams.with { teams in
            let account = teams.second
            // The right key with the id of another one.
            var wrong = account
            wrong.keyIDs[0] = account.keyIDs[1]
            let simulator = teams.simulator.simulator
            // Nobody has the first one.
            let tokens =
                [String(repeating: "0", count: 64)]
                + (0..<2).map { _ in simulator.addSilentToken(of: account.bundleID).hex }
            let requests = tokens.map { token in
                APNsRequest.device(
                    tokenHex: token, bundleID: account.bundleID,
                    apnsID: UUID().uuidString.lowercased(), priority: .immediate, expiration: 0,
                    body: Array(#"{"aps":{"timestamp":1,"event":"update"}}"#.utf8))
            }
            try await teams.withRouter(fallback: wrong) { router, _ in
                router.state.withLock { state in
                    state.gates[account.app] = AppGate(.keyRefused, probeAt: .timeOfDay)
                }
                // Long enough for the key to be replaced meanwhile.
                let latency = Latency(p50Seconds: 2, p99Seconds: 2)
                try simulator.cause(Fault(.condition(.delay(latency))))
                async let answers = router.transport.pushAll(account.app, requests)
                try await waitUntil("the probe is on its way", within: 20) {
                    router.transport.suspension(account.app) != nil
                }
                let right = APNsCredentials(
                    teamID: account.teamID, keyID: account.keyIDs[0], key: account.keys[0])
                #expect(await router.replaceFallback(right))
                let statuses = await answers.map { answer -> Int? in
                    if case .answered(let response) = answer { response.status } else { nil }
                }
                #expect(statuses == [400, 200, 200])
            }
        }
    }
}
