import Testing

@testable import Delivery

struct `Looking for what is due` {
    @Test(arguments: [(0.2, 1.0), (1, 5), (20, 5)] as [(took: Double, rest: Double)])
    func `rests for five times as long as it took, and for five seconds at most`(
        took: Double, rest: Double
    ) throws {
        let gate = ClaimPollGate()
        gate.looked(since: .now - .seconds(took))
        gate.requestLook()
        #expect(!gate.takeLook())
        let left = try #require(gate.takeWakeUpDelay())
        #expect(left <= .seconds(rest + 0.2))
        #expect(left > .seconds(rest - 0.8))
    }

    @Test func `is not tried again at once after it failed`() {
        let gate = ClaimPollGate()
        #expect(!gate.hasJustFailed)
        gate.failed()
        #expect(gate.hasJustFailed)
    }
}
