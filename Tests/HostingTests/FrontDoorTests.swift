import HTTP
import Terminal
import Testing

@testable import Hosting

struct `Room for clients` {
    @Test func `is what is left of the files that may be open`() throws {
        let (limits, plan) = try FrontDoor.limits(try serveArguments(), descriptorsMax: 1_024)
        #expect(limits.connectionsMax == 1_024 - DescriptorPlan.reserved)
        #expect(limits.connectionsPerAddressMax == limits.connectionsMax / 8)
        #expect(plan.descriptorsMax == 1_024)
    }

    @Test func `is no more than what is wished for`() throws {
        let usual = try FrontDoor.limits(try serveArguments(), descriptorsMax: 1_048_576)
        #expect(usual.limits.connectionsMax == 8_192)
        #expect(usual.limits.connectionsPerAddressMax == 1_024)
        let wished = try FrontDoor.limits(
            try serveArguments([
                "--connections-max", "100", "--connections-per-address-max", "500",
                "--body-bytes-max", "2048",
            ]), descriptorsMax: 1_048_576)
        #expect(wished.limits.connectionsMax == 100)
        #expect(wished.limits.connectionsPerAddressMax == 100)
        #expect(wished.limits.bodyBytesMax == 2_048)
    }

    @Test func `that is too little says so, and what to do`() throws {
        let given = try serveArguments()
        let failure = #expect(throws: CommandFailure.self) {
            try FrontDoor.limits(given, descriptorsMax: 256)
        }
        guard case .failed(let words) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(words.contains("may have 256 files open"))
        #expect(words.contains("needs 512"))
        #expect(words.contains("LimitNOFILE"))
    }

    @Test func `counts proxies out by address or network`() throws {
        let given = try serveArguments(["--trusted-proxy", "10.0.0.0/8", "--trusted-proxy", "::1"])
        let ranges = try FrontDoor.proxies(given)
        #expect(ranges.count == 2)
        let name = try serveArguments(["--trusted-proxy", "proxy.example"])
        #expect(throws: CommandFailure.self) { try FrontDoor.proxies(name) }
    }
}
