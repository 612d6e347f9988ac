/// Broadcasts to channels, and calls that manage channels.
extension APNsRequest {
    /// An update or end for all phones that listen to a channel, sent to the host of device pushes.
    ///
    /// Source: Sending broadcast push notification requests to APNs.
    /// - Parameters:
    ///   - bundleID: plain; with a suffix APNs answers `TopicDisallowed`.
    ///   - requestID: canonical lower-case UUID, echoed in the answer.
    ///   - expiration: Unix seconds until which APNs keeps the message. On a channel that stores
    ///     none it must be 0, else APNs answers `BadExpirationDate`.
    ///   - body: `Payload.json`, at most `Limits.broadcastPayloadBytesMax` bytes.
    public static func broadcast(
        bundleID: String, channelID: String, requestID: String, priority: Priority,
        expiration: Int64, body: [UInt8]
    ) -> APNsRequest {
        APNsRequest(
            method: .post, path: "/4/broadcasts/apps/\(bundleID)",
            headers: [
                .init("apns-channel-id", channelID),
                .init("apns-push-type", "liveactivity"),
                .init("apns-priority", String(priority.rawValue)),
                .init("apns-expiration", String(expiration)),
                .init("apns-request-id", requestID),
            ], body: body)
    }

    /// Makes a channel; the answer's header `apns-channel-id` names it. Sent to the host of channel
    /// management, like the ones below.
    ///
    /// Source of all three: Sending channel management requests to APNs.
    /// - Parameter storesNewest: whether APNs keeps the newest message, up to 8 hours, for phones
    ///   that are away; never to be changed. Without it more may be published.
    public static func createChannel(
        bundleID: String, requestID: String, storesNewest: Bool
    ) -> APNsRequest {
        let policy = storesNewest ? 1 : 0
        let body = #"{"message-storage-policy":\#(policy),"push-type":"LiveActivity"}"#
        return APNsRequest(
            method: .post, path: "/1/apps/\(bundleID)/channels",
            headers: [.init("apns-request-id", requestID)], body: Array(body.utf8))
    }

    /// Ends a channel for good. Stored messages may still be delivered.
    public static func deleteChannel(
        bundleID: String, channelID: String, requestID: String
    ) -> APNsRequest {
        APNsRequest(
            method: .delete, path: "/1/apps/\(bundleID)/channels",
            headers: [.init("apns-channel-id", channelID), .init("apns-request-id", requestID)])
    }

    /// The ids of all the app's channels.
    public static func listChannels(bundleID: String, requestID: String) -> APNsRequest {
        APNsRequest(
            method: .get, path: "/1/apps/\(bundleID)/all-channels",
            headers: [.init("apns-request-id", requestID)])
    }
}
