public import Domain
public import HTTP

/// What APNs answers to a broadcast or to a call that manages channels.
public struct ChannelAnswer: Hashable, Sendable {
    /// The sender's `apns-request-id`, or one made up for it.
    public var requestID: String
    /// Of a success.
    var successStatus = 200
    public var refusal: APNsRefusal?
    /// Of the channel that was created.
    public var channelID: String?
    /// JSON; empty unless something was asked for.
    public var body: [UInt8] = []

    public var status: Int { refusal?.status ?? successStatus }

    /// As HTTP; a refusal has JSON with `reason`.
    public var response: Response {
        var headers: Headers = ["apns-request-id": requestID]
        var body = body
        if let refusal {
            body = Array(#"{"reason":"\#(refusal.rawValue)"}"#.utf8)
        } else if let channelID {
            headers.append("apns-channel-id", channelID)
        }
        if !body.isEmpty { headers.append("content-type", "application/json") }
        return Response(status: status, headers: headers, body: .bytes(body))
    }
}

/// A broadcast that APNs accepted and now owes to the phones that listen to its channel.
public struct AcceptedBroadcast: Hashable, Sendable {
    public var channel: String
    public var priority: Int
    public var body: [UInt8]
    /// Of its channel.
    public var storage: MessageStorage
    /// For phones that are away; nil when nothing is kept for them.
    public var keptUntil: Moment?
}
