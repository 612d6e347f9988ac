public import Domain
import Foundation
public import HTTP
import JSON

/// `POST /4/broadcasts/apps/<bundle id>`, on the connections that pushes use too.
extension APNsMachine {
    static let broadcastPrefix = "/4/broadcasts/apps/"

    public mutating func broadcast(
        _ request: Request, now: Moment
    ) -> APNsResult<AcceptedBroadcast> {
        result(of: request, .broadcasts) { (apple, result) throws(Refused) in
            result.accepted = try apple.accept(
                broadcast: request, now: now, &result.opensStreams)
        }
    }

    /// The order of the checks is ours, as for pushes.
    private mutating func accept(
        broadcast request: Request, now: Moment, _ opensStreams: inout Bool
    ) throws(Refused) -> AcceptedBroadcast {
        guard
            let bundleID = ChannelHeaders.bundleID(in: request.path, after: Self.broadcastPrefix)
        else { throw Refused(.badPath) }
        guard request.method == "POST" else { throw Refused(.methodNotAllowed) }
        if PushHeaders.hasRepeats(request.headers) { throw Refused(.duplicateHeaders) }
        opensStreams = try gate.admit(
            request.headers["authorization"], connection: request.connectionID, now: now,
            &oddities)
        try ChannelHeaders.checkRequestID(request.headers)
        try checkApp(bundleID, gate.bundleIDs(on: request.connectionID))
        let headers = try BroadcastHeaders(request.headers)
        let id = try ChannelHeaders.channelID(request.headers)
        if request.body.isEmpty { throw Refused(.payloadEmpty) }
        if request.body.count > Limits.broadcastBytesMax { throw Refused(.payloadTooLarge) }
        guard Self.object(request.body) != nil else { throw Refused(.badRequestPayload) }
        if let reason = nextScripted(.broadcasts) { throw Refused(reason) }
        guard let channel = channels.channel(id, of: bundleID, in: environment) else {
            throw Refused(.channelNotRegistered)
        }
        if channel.storage == .none, headers.expiration != 0 {
            throw Refused(.badExpirationDate)
        }
        if let limit = configuration.broadcast.intervalSecondsMin,
            let newestAt = channel.newestAt, now.seconds(since: newestAt) < limit
        {
            throw Refused(.tooManyRequests)
        }
        channels.noteBroadcast(on: id, at: now)
        return AcceptedBroadcast(
            channel: id, priority: headers.priority, body: request.body, storage: channel.storage,
            keptUntil: Self.keptUntil(headers.expiration, channel.storage, now: now))
    }

    /// Nil when it is for those phones only that are connected now.
    private static func keptUntil(
        _ expiration: Int64, _ storage: MessageStorage, now: Moment
    ) -> Moment? {
        guard storage == .newest, expiration > 0 else { return nil }
        let latest = now.adding(seconds: Limits.storedBroadcastSecondsMax)
        return min(latest, Moment(unixSeconds: min(expiration, latest.unixSeconds)))
    }

    /// The path has the plain bundle id of an app of the team that may broadcast.
    /// - Parameter owned: the team's apps; nil for those of the configuration.
    func checkApp(_ bundleID: String, _ owned: Set<String>?) throws(Refused) {
        if bundleID.hasSuffix(PushHeaders.liveActivitySuffix) { throw Refused(.topicDisallowed) }
        guard (owned ?? configuration.bundleIDs).contains(bundleID) else {
            throw Refused(.topicMismatch)
        }
        guard broadcastIsEnabled else { throw Refused(.featureNotEnabled) }
    }

    static func object(_ body: [UInt8]) -> [String: JSON]? {
        try? JSONDecoder().decode([String: JSON].self, from: Data(body))
    }
}
