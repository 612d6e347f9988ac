import Domain
import Foundation
import HTTP

@testable import Simulator

extension World {
    /// A channel as if made over the wire, for a test that is about something else.
    mutating func addChannel(_ storage: MessageStorage) throws -> String {
        try apns.create(bundleID: bundleID, storage)
    }
}

/// A world with one channel, and a sender of broadcasts and channel calls that does everything
/// right unless told otherwise.
struct Broadcaster {
    static let channelsPath = "/1/apps/\(Apple.bundleID)/channels"
    static let listPath = "/1/apps/\(Apple.bundleID)/all-channels"
    static let requestID = "123e4567-e89b-12d3-a456-4266554400a0"
    static let newChannel = #"{"message-storage-policy":0,"push-type":"LiveActivity"}"#

    var apple: Apple
    let channel: String

    init(_ storage: MessageStorage = .none, rules: BroadcastRules = BroadcastRules()) throws {
        apple = try Apple(broadcast: rules)
        channel = try apple.world.addChannel(storage)
    }

    /// A broadcast in perfect order; `changes` replace headers, nil removes one.
    func request(_ changes: [String: String?] = [:], body: String? = nil) -> Request {
        var fields: [String: String] = [
            "apns-channel-id": channel, "apns-push-type": "liveactivity", "apns-priority": "10",
            "apns-expiration": "0",
        ]
        for (name, value) in changes { fields[name] = value }
        return Self.request(
            "POST", "/4/broadcasts/apps/\(Apple.bundleID)", fields,
            body: body ?? apple.update(slices: 1), leaveOut: Set(changes.keys))
    }

    /// A call that manages channels, in perfect order; `changes` likewise.
    func call(
        _ method: String, _ changes: [String: String?] = [:], path: String = Self.channelsPath,
        body: String = ""
    ) -> Request {
        var fields = method == "POST" || path == Self.listPath ? [:] : ["apns-channel-id": channel]
        for (name, value) in changes { fields[name] = value }
        return Self.request(method, path, fields, body: body, leaveOut: Set(changes.keys))
    }

    private static func request(
        _ method: String, _ path: String, _ fields: [String: String], body: String,
        leaveOut: Set<String>
    ) -> Request {
        var fields = fields
        if !leaveOut.contains("authorization") {
            fields["authorization"] = "bearer \(Apple.providerToken())"
        }
        if !leaveOut.contains("apns-request-id") { fields["apns-request-id"] = requestID }
        var headers = Headers()
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) { headers.append(name, value) }
        return Request(
            method: method, target: path, headers: headers, body: Array(body.utf8),
            connectionID: 1)
    }

    mutating func send(_ request: Request) -> APNsAnswer {
        apple.world.broadcast(request, now: apple.now).answer
    }

    mutating func manage(_ request: Request) -> APNsAnswer {
        apple.world.manage(request, now: apple.now).answer
    }

    /// Sends a broadcast that APNs has to accept.
    mutating func push(_ body: String, to channel: String? = nil) throws -> [PhoneEvent] {
        let request = request(channel.map { ["apns-channel-id": $0] } ?? [:], body: body)
        let (answer, effects) = apple.world.broadcast(request, now: apple.now)
        if let refusal = answer.refusal { throw Refused(refusal) }
        return effects.compactMap { effect in
            switch effect {
            case .observed(let event): event
            default: nil
            }
        }
    }

    /// A phone whose card listens to the channel.
    mutating func addListener(_ name: String, order: String = "A 1") throws -> PhoneID {
        try apple.world.addPhone(
            named: name,
            starting: ActivityStart(
                kind: "Pie", activity: ActivityID(rawValue: "final"),
                attributes: Data(#"{"order":"\#(order)"}"#.utf8)),
            channel: channel, now: apple.now
        ).id
    }

    /// What the first card of a phone says.
    func slices(on id: PhoneID) -> String? {
        apple.world.phone(id)?.cards.first?.presentation?.pie
    }
}
