import Foundation
import HTTP

/// What broadcasts and channel management check alike.
enum ChannelHeaders {
    /// What follows `prefix` in the path, and ends with `suffix`: a bundle id.
    static func bundleID(
        in path: Substring, after prefix: String, before suffix: String = ""
    ) -> String? {
        guard path.hasPrefix(prefix), path.hasSuffix(suffix),
            path.utf8.count > prefix.utf8.count + suffix.utf8.count
        else { return nil }
        let name = path.dropFirst(prefix.count).dropLast(suffix.count)
        return name.contains("/") ? nil : String(name)
    }

    static func checkRequestID(_ headers: Headers) throws(Refused) {
        if let id = headers["apns-request-id"], !PushHeaders.isCanonicalUUID(id) {
            throw Refused(.badMessageID)
        }
    }

    /// Apple: base64. How long it may be is not published.
    static func channelID(_ headers: Headers) throws(Refused) -> String {
        guard let id = headers["apns-channel-id"], !id.isEmpty else {
            throw Refused(.missingChannelID)
        }
        guard id.utf8.count <= Limits.channelIDBytesMax, Data(base64Encoded: id) != nil else {
            throw Refused(.badChannelID)
        }
        return id
    }
}

/// The headers of a broadcast other than the channel's id; all of them have to be there.
struct BroadcastHeaders {
    var priority: Int
    /// Unix seconds; 0 for one attempt.
    var expiration: Int64

    init(_ headers: Headers) throws(Refused) {
        guard let pushType = headers["apns-push-type"] else { throw Refused(.missingPushType) }
        guard pushType == "liveactivity" else { throw Refused(.invalidPushType) }
        guard let priority = headers["apns-priority"] else { throw Refused(.badPriority) }
        self.priority = try PushHeaders.priority(priority)
        guard let expiration = try PushHeaders.expiration(headers["apns-expiration"]) else {
            throw Refused(.badExpirationDate)
        }
        self.expiration = expiration
    }
}
