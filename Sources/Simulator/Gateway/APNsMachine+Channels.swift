public import Domain
import Foundation
public import HTTP
import JSON

/// Channel management, on a port of its own and so with connections of its own.
extension APNsMachine {
    private enum Call {
        case create, read, delete, list
    }

    public mutating func manage(
        _ request: Request, now: Moment
    ) -> APNsResult<AcceptedBroadcast> {
        result(of: request, .channels) { (apple, result) throws(Refused) in
            try apple.manage(request, now: now, &result)
        }
    }

    /// Takes the capability away or gives it. Taking it away deletes every channel for good.
    public mutating func setBroadcast(isEnabled: Bool) {
        broadcastIsEnabled = isEnabled
        if !isEnabled { channels.deleteAll() }
    }

    /// Of both environments.
    public func channels(of bundleID: String) -> [SimulatedChannel] {
        channels.channels(of: bundleID)
    }

    private mutating func manage(
        _ request: Request, now: Moment, _ result: inout APNsResult<AcceptedBroadcast>
    ) throws(Refused) {
        let (bundleID, call) = try Self.call(request)
        if PushHeaders.hasRepeats(request.headers) { throw Refused(.duplicateHeaders) }
        result.opensStreams = try managementGate.admit(
            request.headers["authorization"], connection: request.connectionID, now: now,
            &oddities)
        try ChannelHeaders.checkRequestID(request.headers)
        try checkApp(bundleID, managementGate.bundleIDs(on: request.connectionID))
        switch call {
        case .create:
            let storage = try Self.wishedStorage(request.body)
            try runScript()
            result.answer.channelID = try create(bundleID: bundleID, storage)
            result.answer.successStatus = 201
        case .read:
            let channel = try known(request, bundleID)
            result.answer.body = Array(
                WireCoder.encode(
                    Description(storagePolicy: channel.storage, pushType: Self.pushType)))
        case .delete:
            channels.delete(try known(request, bundleID).id)
            result.answer.successStatus = 204
        case .list:
            try runScript()
            result.answer.body = Array(
                WireCoder.encode([
                    "channels": channels.channels(of: bundleID)
                        .filter { $0.environment == environment }.map(\.id)
                ]))
        }
    }

    private static let pushType = "LiveActivity"

    private struct Description: Encodable {
        var storagePolicy: MessageStorage
        var pushType: String

        enum CodingKeys: String, CodingKey {
            case storagePolicy = "message-storage-policy"
            case pushType = "push-type"
        }
    }

    private static func call(
        _ request: Request
    ) throws(Refused) -> (bundleID: String, call: Call) {
        let prefix = "/1/apps/"
        if let bundleID = ChannelHeaders.bundleID(
            in: request.path, after: prefix, before: "/channels")
        {
            switch request.method {
            case "POST": return (bundleID, .create)
            case "GET": return (bundleID, .read)
            case "DELETE": return (bundleID, .delete)
            default: throw Refused(.methodNotAllowed)
            }
        }
        guard
            let bundleID = ChannelHeaders.bundleID(
                in: request.path, after: prefix, before: "/all-channels")
        else { throw Refused(.badPath) }
        guard request.method == "GET" else { throw Refused(.methodNotAllowed) }
        return (bundleID, .list)
    }

    private static func wishedStorage(_ body: [UInt8]) throws(Refused) -> MessageStorage {
        if body.isEmpty { throw Refused(.payloadEmpty) }
        if body.count > Limits.broadcastBytesMax { throw Refused(.payloadTooLarge) }
        guard let members = object(body) else { throw Refused(.badRequestPayload) }
        guard Set(members.keys).isSubset(of: ["message-storage-policy", "push-type"]) else {
            throw Refused(.badRequestParams)
        }
        guard let type = members["push-type"] else { throw Refused(.missingPushType) }
        guard type == .string(pushType) else { throw Refused(.invalidPushType) }
        switch members["message-storage-policy"]?.wholeNumber {
        case 0: return .none
        case 1: return .newest
        default: throw Refused(.badRequestParams)
        }
    }

    mutating func create(
        bundleID: String, _ storage: MessageStorage
    ) throws(Refused) -> String {
        guard broadcastIsEnabled else { throw Refused(.featureNotEnabled) }
        let count = channels.count(of: bundleID, in: environment)
        guard count < configuration.broadcast.channelsMax else {
            throw Refused(.cannotCreateChannelConfig)
        }
        let id = random.channelID()
        channels.insert(
            SimulatedChannel(
                id: id, bundleID: bundleID, environment: environment, storage: storage))
        return id
    }

    private mutating func known(
        _ request: Request, _ bundleID: String
    ) throws(Refused) -> SimulatedChannel {
        let id = try ChannelHeaders.channelID(request.headers)
        try runScript()
        guard let channel = channels.channel(id, of: bundleID, in: environment) else {
            throw Refused(.channelNotRegistered)
        }
        return channel
    }

    private mutating func runScript() throws(Refused) {
        if let reason = nextScripted(.channels) { throw Refused(reason) }
    }
}
