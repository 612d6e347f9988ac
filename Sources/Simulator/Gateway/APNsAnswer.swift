public import Domain
public import HTTP

/// What APNs answers to a push, to a broadcast, or to a call that manages channels.
public struct APNsAnswer: Hashable, Sendable {
    /// Of the field that names the request: `apns-id` for a push, else `apns-request-id`.
    let idField: String
    /// The sender's, or one made up for it.
    public let id: String
    /// Of a push to the sandbox only: the key for the delivery log in Apple's console.
    public var uniqueID: String?
    /// Of the channel that was created.
    public var channelID: String?
    /// Nil when it was accepted, which of a push never means that it was shown.
    public var refusal: APNsRefusal?
    /// With 410: since when the token is known to be dead.
    public var deadSince: Moment?
    /// Of a success.
    var successStatus = 200
    /// Of a success: JSON; empty unless something was asked for.
    public var body: [UInt8] = []

    public var status: Int { refusal?.status ?? successStatus }

    /// As HTTP; a refusal has JSON with `reason` and, on 410, milliseconds since 1970.
    public var response: Response {
        var headers: Headers = [idField: id]
        if let uniqueID { headers.append("apns-unique-id", uniqueID) }
        if let channelID { headers.append("apns-channel-id", channelID) }
        var body = body
        if let refusal {
            var text = #"{"reason":"\#(refusal.rawValue)""#
            if let deadSince { text += #","timestamp":\#(deadSince.microseconds / 1000)"# }
            body = Array((text + "}").utf8)
        }
        if !body.isEmpty { headers.append("content-type", "application/json") }
        return Response(status: status, headers: headers, body: .bytes(body))
    }
}

/// A push that APNs accepted and now owes to a phone.
public struct AcceptedPush: Hashable, Sendable {
    public var token: PushToken
    public var priority: Int
    /// Unix seconds; 0 means one attempt, nil APNs' own storage policy.
    public var expiration: Int64?
    public var body: [UInt8]
    public var acceptedAt: Moment
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

/// The result of a request.
public struct APNsResult<Accepted: Hashable & Sendable>: Hashable, Sendable {
    public var answer: APNsAnswer
    public var accepted: Accepted?
    /// The connection has just shown its first valid provider token.
    public var opensStreams = false
}
