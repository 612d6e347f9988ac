import Foundation
import Projections
import Testing

@testable import API

/// A trial that lasts until the test has seen enough, and not for ever.
private struct LongTrial {
    let hasBegun = Lever(false)
    let mayEnd = Lever(false)
    /// False where it had to give up waiting.
    let ended = Lever(false)

    var setup: WhatIfSetup {
        WhatIfSetup { [hasBegun, mayEnd, ended] _, _, _ in
            hasBegun.value = true
            let latest = ContinuousClock.now + .seconds(10)
            while !mayEnd.value, ContinuousClock.now < latest { usleep(1_000) }
            ended.value = mayEnd.value
            let nothing = WhatIfSetup.Side(alerts: [], pushes: 0)
            return WhatIfSetup.Finding(
                before: nothing, after: nothing, changes: [:], isLeftOut: false)
        }
    }
}

private let path = "/v1/policies/PizzaDelivery/what-if"

private let request = """
    POST \(path)?activity=o-1 HTTP/1.1\r
    Host: islet\r
    Connection: close\r
    Authorization: Bearer all\r
    Content-Type: application/json\r
    Content-Length: 2\r
    \r
    {}
    """

@Test(.timeLimit(.minutes(1)))
func `whoever asks something small is answered while a policy is tried`() async throws {
    let trial = LongTrial()
    let api = await Harness(whatIf: trial.setup)
    _ = try await api.post(SampleEvents.placed("o-1"))
    try await api.fake.fold(Harness.mine)
    let served = try await ServedAPI.start(handler: api.handler)
    async let tried = served.exchange(request)
    try await eventually { trial.hasBegun.value }
    let live = await served.exchange(
        "GET /livez HTTP/1.1\r\nHost: islet\r\nConnection: close\r\n\r\n")
    // One at a time of each tenant, and whoever has to wait is told so before anything is read.
    try await api.call(
        "POST", path, body: #"{"rules":{"nothing":"alert"}}"#, type: "application/json"
    ).expectProblem(.overloaded)
    trial.mayEnd.value = true
    let answer = await tried
    #expect(live.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(live)")
    #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(answer)")
    #expect(trial.ended.value)
    try await api.call(
        "POST", path, body: #"{"rules":{"nothing":"alert"}}"#, type: "application/json"
    ).expectProblem(.invalidPolicy, pointers: ["/rules/nothing"])
    await served.stop()
}
