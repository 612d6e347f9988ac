import Domain
import EventLoop
import Foundation
import HTTP
import TestSupport
import Testing

@testable import Simulator

/// Push-to-start, channel management and broadcasts over real sockets.
struct ChannelWireTests: OverTheWire {
    /// - Parameter token: one for the whole test, as Apple wants it.
    private func request(
        signedBy token: String, _ method: String, _ path: String, _ headers: Headers = [:],
        body: String = ""
    ) -> Request {
        var headers = headers
        headers.append("authorization", "bearer \(token)")
        return Request(method: method, target: path, headers: headers, body: Array(body.utf8))
    }

    private func aps(_ members: String, laterBy seconds: Int64 = 0) -> String {
        #"{"aps":{"timestamp":\#(wallClock().unixSeconds + seconds),\#(members)}}"#
    }

    @Test(.timeLimit(.minutes(1)))
    func `a channel is made on its own port, and a start and a broadcast go by it`() async throws {
        try await withSimulator { running, loop in
            let signed = try providerToken(running)
            let phone = try running.simulator.addPhone(named: "Bea")
            let token = try running.simulator.startToken(for: "Pie", on: phone)
            let management = try await connect(running, loop, port: running.managementPort)
            let created = try await management.send(
                request(
                    signedBy: signed, "POST", "/1/apps/\(running.bundleID)/channels",
                    body: Broadcaster.newChannel), deadline: .seconds(5))
            #expect(created.status == 201)
            let channel = try #require(created.headers["apns-channel-id"])
            let pushes = try await connect(running, loop)
            let start = aps(
                #""event":"start","attributes-type":"PieAttributes","#
                    + #""attributes":{"order":"A 1"},"content-state":{"slices":2},"#
                    + #""alert":\#(Starter.alert),"input-push-channel":"\#(channel)""#)
            let started = try await pushes.send(
                request(
                    signedBy: signed, "POST", "/3/device/\(token.hex)",
                    [
                        "apns-push-type": "liveactivity", "apns-priority": "10",
                        "apns-topic": "\(running.bundleID).push-type.liveactivity",
                    ], body: start), deadline: .seconds(5))
            #expect(started.status == 200)
            #expect(running.simulator.phone(phone)?.activities.map(\.channel) == [channel])
            #expect(running.simulator.channels().map(\.phones) == [1])
            let end = try await pushes.send(
                request(
                    signedBy: signed, "POST", "/4/broadcasts/apps/\(running.bundleID)",
                    broadcastHeaders(channel),
                    // The start and the end may fall into one second.
                    body: aps(#""event":"end","content-state":{"slices":8}"#, laterBy: 1)),
                deadline: .seconds(5))
            #expect(end.status == 200)
            #expect(end.headers["apns-request-id"].map(PushHeaders.isCanonicalUUID) == true)
            #expect(running.simulator.phone(phone)?.activities.map(\.shows?.pie) == ["8 slices"])
            #expect(running.simulator.phone(phone)?.activities.map(\.phase) == [.ended])
            await pushes.close()
            await management.close()
        }
    }

    private func broadcastHeaders(_ channel: String) -> Headers {
        [
            "apns-channel-id": channel, "apns-push-type": "liveactivity", "apns-priority": "5",
            "apns-expiration": "0",
        ]
    }

    @Test(.timeLimit(.minutes(1)))
    func `each port answers what is its own and no more`() async throws {
        try await withSimulator { running, loop in
            let signed = try providerToken(running)
            let list = request(signedBy: signed, "GET", "/1/apps/\(running.bundleID)/all-channels")
            let broadcast = request(
                signedBy: signed, "POST", "/4/broadcasts/apps/\(running.bundleID)", body: "{}")
            let management = try await connect(running, loop, port: running.managementPort)
            let pushes = try await connect(running, loop)
            let answers = try await [
                management.send(list, deadline: .seconds(5)),
                management.send(broadcast, deadline: .seconds(5)),
                pushes.send(list, deadline: .seconds(5)),
                pushes.send(broadcast, deadline: .seconds(5)),
            ].map(\.bodyText)
            #expect(
                answers == [
                    #"{"channels":[]}"#, #"{"reason":"BadPath"}"#, #"{"reason":"BadPath"}"#,
                    #"{"reason":"MissingPushType"}"#,
                ])
            await pushes.close()
            await management.close()
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `curl makes a channel, has a phone listen and broadcasts to it`() async throws {
        try await withSimulator { running, loop in
            let authority = FileManager.default.temporaryDirectory
                .appending(path: "authority-\(running.apnsPort).pem")
            try running.authorityPEM.write(to: authority, atomically: true, encoding: .utf8)
            defer { try? FileManager.default.removeItem(at: authority) }
            let apple = [
                "--http2", "--cacert", authority.path, "-H",
                "authorization: bearer \(try providerToken(running))",
            ]
            let channels =
                "https://localhost:\(running.managementPort)/1/apps/\(running.bundleID)"
            let made = try await curl(
                apple + [
                    "\(channels)/channels", "-d", Broadcaster.newChannel, "-o", "/dev/null", "-w",
                    "%{http_code} %header{apns-channel-id}",
                ])
            let parts = made.split(separator: " ").map(String.init)
            try #require(parts.count == 2 && parts[0] == "201", "\(made)")
            let control = "http://127.0.0.1:\(running.controlPort)"
            let added = try await curl([
                "\(control)/phones", "-d",
                #"{"name":"Ann","kind":"Pie","activity":"final","channel":"\#(parts[1])"}"#,
            ])
            #expect(added == #"{"id":"phone-1"}"#)
            let fields = broadcastHeaders(parts[1]).fields.flatMap {
                ["-H", "\($0.name): \($0.value)"]
            }
            let answer = try await curl(
                apple + fields + [
                    "https://localhost:\(running.apnsPort)/4/broadcasts/apps/\(running.bundleID)",
                    "-d", aps(#""event":"update","content-state":{"slices":4}"#), "-w",
                    "%{http_code}",
                ])
            #expect(answer == "200")
            let shown = try await curl(["\(control)/phones/phone-1"])
            #expect(shown.contains("4 slices"))
            let listed = try await curl(["\(control)/channels"])
            #expect(listed.contains(#""broadcasts":1"#) && listed.contains(#""phones":1"#))
            let deleted = try await curl(
                apple + [
                    "-X", "DELETE", "-H", "apns-channel-id: \(parts[1])", "\(channels)/channels",
                    "-w", "%{http_code}",
                ])
            #expect(deleted == "204")
            #expect(try await curl(apple + ["\(channels)/all-channels"]) == #"{"channels":[]}"#)
        }
    }
}
