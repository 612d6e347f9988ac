import Domain
import EventLoop
import Foundation
import HTTP
import TLS

@testable import Simulator

/// Tests of the simulator over real sockets: HTTP/2 and TLS on one side, HTTP/1.1 on the other.
protocol OverTheWire: Sendable {}

extension OverTheWire {
    /// Starts a simulator on a loop of its own, and stops both afterwards.
    func withSimulator(
        _ adjust: (inout SimulatorConfiguration) -> Void = { _ in },
        _ body: (RunningSimulator, EventLoop) async throws -> Void
    ) async throws {
        let loop = EventLoop(name: "simulator-test")
        var configuration = SimulatorConfiguration(now: wallClock)
        configuration.kinds.append(CardKind(Pie.self))
        adjust(&configuration)
        let running = try await Simulator.start(loop: loop, configuration: configuration)
        let result: Result<Void, any Error>
        do { result = .success(try await body(running, loop)) } catch { result = .failure(error) }
        await running.stop()
        await loop.shutdown()
        try result.get()
    }

    func wallClock() -> Moment {
        Moment(microseconds: 0).adding(seconds: Date().timeIntervalSince1970)
    }

    func connect(
        _ running: RunningSimulator, _ loop: EventLoop, port: Int? = nil
    ) async throws -> HTTP2Connection {
        try await HTTP2Connection.connect(
            loop: loop, host: "127.0.0.1", port: port ?? running.apnsPort,
            tls: .client(trust: .pem(running.authorityPEM)), timeout: .seconds(5))
    }

    func request(
        _ running: RunningSimulator, _ token: PushToken, slices: Int, providerToken: String,
        timestamp: Int64? = nil
    ) -> Request {
        let timestamp = timestamp ?? wallClock().unixSeconds
        let body =
            #"{"aps":{"timestamp":\#(timestamp),"event":"update","content-state":"#
            + #"{"slices":\#(slices)}}}"#
        return Request(
            method: "POST", target: "/3/device/\(token.hex)",
            headers: [
                "authorization": "bearer \(providerToken)", "apns-push-type": "liveactivity",
                "apns-topic": "\(running.bundleID).push-type.liveactivity",
                "apns-priority": "5",
            ], body: Array(body.utf8))
    }

    func providerToken(_ running: RunningSimulator, keyPEM: String? = nil) throws -> String {
        let key = try ES256PrivateKey(pem: keyPEM ?? running.signingKeyPEM)
        let header = #"{"alg":"ES256","kid":"\#(running.keyID)"}"#
        let claims = #"{"iss":"\#(running.teamID)","iat":\#(wallClock().unixSeconds)}"#
        let input =
            Apple.base64URL(Array(header.utf8)) + "." + Apple.base64URL(Array(claims.utf8))
        return input + "." + Apple.base64URL(key.sign(Array(input.utf8)))
    }

    /// Runs curl; standard output only.
    func curl(_ arguments: [String]) async throws -> String {
        try await run(["curl", "--silent", "--max-time", "10"] + arguments).output
    }

    /// Runs a program without blocking a thread of the pool. What it says on standard error goes to
    /// that of the tests.
    func run(_ command: [String]) async throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        let output = Pipe()
        process.standardOutput = output
        return try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { process in
                let data = output.fileHandleForReading.readDataToEndOfFile()
                continuation.resume(
                    returning: (process.terminationStatus, String(decoding: data, as: UTF8.self)))
            }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
    }
}
