import Domain
import EventLoop
import Glibc
import HTTP
import Simulator
import Terminal
import Testing

@testable import Hosting

struct `An address that is in use` {
    @Test func `is found with the process that has it`() async throws {
        let loop = EventLoop(name: "owner")
        let first = HTTP1Server(loop: loop, host: "127.0.0.1", port: 0, limits: .standard) {
            _ in Response(status: 204)
        }
        let port = try await first.start()
        let owner = try #require(PortOwner.name(ofPort: port))
        #expect(owner.hasSuffix("(process \(getpid()))"), "\(owner)")
        let second = HTTP1Server(
            loop: loop, host: "127.0.0.1", port: port, limits: .standard
        ) { _ in Response(status: 204) }
        do {
            _ = try await second.start()
            Issue.record("two servers have one address")
        } catch {
            #expect(
                PortOwner.complaint(error, port: port, option: "port")
                    == "the address is in use by \(owner); stop that, or give another --port")
        }
        await first.drain(within: .milliseconds(10))
        await loop.shutdown()
    }

    /// The kernel's table of them has more than a page then.
    @Test func `is found among many`() async throws {
        let loop = EventLoop(name: "owners")
        var servers: [HTTP1Server] = []
        for _ in 0..<60 {
            let server = HTTP1Server(loop: loop, host: "127.0.0.1", port: 0, limits: .standard) {
                _ in Response(status: 204)
            }
            servers.append(server)
            #expect(PortOwner.name(ofPort: try await server.start()) != nil)
        }
        for server in servers { await server.drain(within: .milliseconds(10)) }
        await loop.shutdown()
    }

    @Test(arguments: [SimulatorPort.apns, .management, .control])
    func `is named with the option that gives the simulator another one`(
        taken: SimulatorPort
    ) async throws {
        let loop = EventLoop(name: "simulator")
        let first = HTTP1Server(loop: loop, host: "127.0.0.1", port: 0, limits: .standard) {
            _ in Response(status: 204)
        }
        let port = try await first.start()
        let owner = try #require(PortOwner.name(ofPort: port))
        var configuration = SimulatorConfiguration(now: { Moment(unixSeconds: 0) })
        switch taken {
        case .apns: configuration.apnsPort = port
        case .management: configuration.managementPort = port
        case .control: configuration.controlPort = port
        }
        await #expect(
            throws: CommandFailure.failed(
                "the simulator cannot start: cannot listen on 127.0.0.1:\(port): the address is in "
                    + "use by \(owner); stop that, or give another --\(taken.rawValue)-port")
        ) {
            _ = try await SimulatorSetup.start(
                configuration, loop: loop, credentialsDirectory: "/nowhere")
        }
        await first.drain(within: .milliseconds(10))
        await loop.shutdown()
    }

    @Test func `is read from the kernel's table, where it listens`() {
        let table = """
              sl  local_address rem_address   st queues timer retrnsmt uid timeout inode
               0: 0100007F:1F90 00000000:0000 0A 00000000:0 00:00000000 0 0 0 4711 1
               1: 0100007F:1F90 0100007F:9C40 01 00000000:0 00:00000000 0 0 0 4712 1
               2: 0100007F:1F91 00000000:0000 0A 00000000:0 00:00000000 0 0 0 4713 1
            """
        #expect(PortOwner.socketNumbers(table, 8080) == ["4711"])
        #expect(PortOwner.socketNumbers("", 8080) == [])
    }
}
