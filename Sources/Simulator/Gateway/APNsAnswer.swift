public import Domain
public import HTTP

/// What APNs answers to one push.
public struct APNsAnswer: Hashable, Sendable {
    /// The sender's `apns-id`, or one made up for it.
    public var apnsID: String
    /// Sandbox only: the key for the delivery log in Apple's console.
    public var uniqueID: String?
    /// Nil when the push was accepted, which never means that it was shown.
    public var refusal: APNsRefusal?
    /// With 410: since when the token is known to be dead.
    public var deadSince: Moment?

    public var status: Int { refusal?.status ?? 200 }

    /// As HTTP: no body on success, else JSON with `reason` and, on 410, milliseconds since 1970.
    public var response: Response {
        var headers: Headers = ["apns-id": apnsID]
        if let uniqueID { headers.append("apns-unique-id", uniqueID) }
        guard let refusal else { return Response(status: 200, headers: headers) }
        var body = #"{"reason":"\#(refusal.rawValue)""#
        if let deadSince { body += #","timestamp":\#(deadSince.microseconds / 1000)"# }
        body += "}"
        headers.append("content-type", "application/json")
        return Response(status: status, headers: headers, body: .bytes(Array(body.utf8)))
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

/// The result of a request.
public struct APNsOutcome<Answer: Hashable & Sendable, Accepted: Hashable & Sendable>: Hashable,
    Sendable
{
    public var answer: Answer
    public var accepted: Accepted?
    /// The connection has just shown its first valid provider token.
    public var opensStreams = false
}
