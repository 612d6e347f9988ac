import Domain
import EventLoop
import Foundation
import HTTP
import TLS
import TestSupport
import Testing

@testable import Simulator

/// The simulator over real sockets: HTTP/2 and TLS on one side, HTTP/1.1 on the other.
struct WireTests: OverTheWire {
    private let start = ActivityStart(kind: "Pie", activity: ActivityID(rawValue: "order-1"))

    @Test(.timeLimit(.minutes(1)))
    func `a push over HTTP 2 and TLS reaches the phone`() async throws {
        try await withSimulator { running, loop in
            let (id, given) = try running.simulator.addPhone(named: "Ann", starting: start)
            let token = try #require(given)
            let connection = try await connect(running, loop)
            let response = try await connection.send(
                request(running, token, slices: 3, providerToken: try providerToken(running)),
                deadline: .seconds(5))
            #expect(response.status == 200)
            #expect(response.headers["apns-id"].map(PushHeaders.isCanonicalUUID) == true)
            #expect(response.headers["apns-unique-id"] != nil)
            #expect(running.simulator.phone(id)?.activities.first?.shows?.pie == "3 slices")
            await connection.close()
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a signature of another key is an invalid provider token`() async throws {
        try await withSimulator { running, loop in
            let added = try running.simulator.addPhone(named: "Ann", starting: start)
            let token = try #require(added.token)
            let connection = try await connect(running, loop)
            let forged = try providerToken(running, keyPEM: ES256PrivateKey.generate().pem)
            let response = try await connection.send(
                request(running, token, slices: 3, providerToken: forged), deadline: .seconds(5))
            #expect(response.status == 403)
            #expect(response.bodyText == #"{"reason":"InvalidProviderToken"}"#)
            await connection.close()
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `five hundred pushes at once on a fresh connection are all answered`() async throws {
        try await withSimulator { running, loop in
            let token = running.simulator.addSilentToken()
            let connection = try await connect(running, loop)
            let push = request(
                running, token, slices: 1, providerToken: try providerToken(running))
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<500 {
                    group.addTask { try await connection.send(push, deadline: .seconds(20)).status }
                }
                return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            #expect(statuses == [200: 500])
            #expect(running.simulator.tally().accepted == 500)
            await connection.close()
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a body over the limit is answered 413 and the connection goes on`() async throws {
        try await withSimulator { running, loop in
            let token = running.simulator.addSilentToken()
            let connection = try await connect(running, loop)
            var push = request(
                running, token, slices: 1, providerToken: try providerToken(running))
            let body = push.body
            push.body += [UInt8](repeating: 32, count: 4097)
            #expect(try await connection.send(push, deadline: .seconds(5)).status == 413)
            push.body = body
            #expect(try await connection.send(push, deadline: .seconds(5)).status == 200)
            await connection.close()
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `curl adds a phone, pushes to it and reads what it shows`() async throws {
        try await withSimulator { running, loop in
            let authority = FileManager.default.temporaryDirectory
                .appending(path: "authority-\(running.apnsPort).pem")
            try running.authorityPEM.write(to: authority, atomically: true, encoding: .utf8)
            defer { try? FileManager.default.removeItem(at: authority) }
            let control = "http://127.0.0.1:\(running.controlPort)"
            let added = try await curl([
                "\(control)/phones", "-d", #"{"name":"Ann","kind":"Pie","activity":"order-1"}"#,
            ])
            let phone = try JSONDecoder().decode([String: String].self, from: Data(added.utf8))
            let token = try #require(PushToken(hex: phone["pushToken"] ?? ""))
            let push = request(
                running, token, slices: 4, providerToken: try providerToken(running))
            let fields = push.headers.fields.flatMap { ["-H", "\($0.name): \($0.value)"] }
            let answer = try await curl(
                [
                    "--http2", "--cacert", authority.path, "-w", "%{http_code} %{http_version}",
                    "https://localhost:\(running.apnsPort)\(push.target)", "-d",
                    String(decoding: push.body, as: UTF8.self),
                ] + fields)
            #expect(answer == "200 2")
            let refused = try await curl([
                "--http2", "--cacert", authority.path, "-w", " %{http_code}",
                "https://localhost:\(running.apnsPort)\(push.target)",
            ])
            #expect(refused == #"{"reason":"MethodNotAllowed"} 405"#)
            let shown = try await curl(["\(control)/phones/phone-1"])
            #expect(shown.contains("4 slices"))
            let credentials = try JSONDecoder().decode(
                SimulatorCredentials.self,
                from: Data(try await curl(["\(control)/credentials"]).utf8))
            #expect(credentials == running.credentials)
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a provider token for trying something out is taken as any other`() async throws {
        try await withSimulator { running, loop in
            let control = "http://127.0.0.1:\(running.controlPort)"
            let made = try await curl(["-X", "POST", "\(control)/provider-tokens"])
            let answer = try JSONDecoder().decode([String: String].self, from: Data(made.utf8))
            let bearer = try #require(answer["authorization"])
            let push = request(
                running, running.simulator.addSilentToken(), slices: 1,
                providerToken: String(bearer.dropFirst("bearer ".count)))
            let connection = try await connect(running, loop)
            #expect(try await connection.send(push, deadline: .seconds(5)).status == 200)
            await connection.close()
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `observers' streams end when the simulator stops`() async throws {
        let loop = EventLoop(name: "simulator-test")
        let configuration = SimulatorConfiguration(now: wallClock)
        let running = try await Simulator.start(loop: loop, configuration: configuration)
        let events = running.simulator.events()
        await running.stop()
        var count = 0
        for await _ in events { count += 1 }
        #expect(count == 0)
        await loop.shutdown()
    }

    @Test(.timeLimit(.minutes(1)))
    func `no time passes any more once the simulator stops`() async throws {
        let loop = EventLoop(name: "simulator-test")
        let tooLate = Lock(0)
        let configuration = SimulatorConfiguration(now: {
            if Task.isCancelled { tooLate.withLock { $0 += 1 } }
            return wallClock()
        })
        let running = try await Simulator.start(loop: loop, configuration: configuration)
        await running.stop()
        await running.ticker.value
        #expect(tooLate.withLock { $0 } == 0)
        await loop.shutdown()
    }

    @Test(.timeLimit(.minutes(1)))
    func `a port in use and a key that is none are reported as such`() async throws {
        try await withSimulator { running, loop in
            var configuration = SimulatorConfiguration(now: wallClock)
            configuration.apnsPort = running.apnsPort
            await #expect(throws: SimulatorError.self) {
                try await Simulator.start(loop: loop, configuration: configuration)
            }
            configuration.apnsPort = 0
            configuration.managementPort = running.managementPort
            await #expect(throws: SimulatorError.self) {
                try await Simulator.start(loop: loop, configuration: configuration)
            }
            configuration.managementPort = 0
            configuration.controlPort = running.controlPort
            await #expect(throws: SimulatorError.self) {
                try await Simulator.start(loop: loop, configuration: configuration)
            }
            configuration.controlPort = 0
            configuration.signingKeyPEM = "no key"
            await #expect(throws: SimulatorError.self) {
                try await Simulator.start(loop: loop, configuration: configuration)
            }
        }
    }
}
