import EventLoop
import HTTP
import Testing

@testable import Hosting

struct `A port of the loopback interface` {
    @Test func `is another one where somebody listens on the preferred`() async throws {
        let loop = EventLoop(name: "taken")
        let server = HTTP1Server(loop: loop, host: "127.0.0.1", port: 0, limits: .standard) {
            _ in Response(status: 204)
        }
        let taken = try await server.start()
        let chosen = FreePort.choose(preferring: taken)
        #expect(chosen != taken)
        #expect((1...65_535).contains(chosen))
        await server.drain(within: .milliseconds(10))
        await loop.shutdown()
    }
}
