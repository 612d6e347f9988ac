/// Why a server answers a request itself instead of handing it to the handler.
public struct Rejection: Error, Hashable, Sendable {
    public enum Reason: Hashable, Sendable {
        case malformed
        case headTimeout
        case bodyTimeout
        case targetTooLong
        case headTooLarge
        case bodyTooLarge
        case expectationUnknown
        case transferCodingUnknown
        case versionUnknown
        case tooManyConnections
        /// No room for the body next to those of other requests.
        case noRoomForBody
        /// No room for the answer next to others that nobody has read.
        case noRoomForAnswer
        /// The same, and what was asked for may have been done.
        case noRoomForOutcome
    }

    public var reason: Reason
    /// For people: what is wrong, without repeating anything the client sent.
    public var detail: String

    public init(_ reason: Reason, _ detail: String) {
        self.reason = reason
        self.detail = detail
    }

    public var status: Int {
        switch reason {
        case .malformed: 400
        case .headTimeout, .bodyTimeout: 408
        case .bodyTooLarge: 413
        case .targetTooLong: 414
        case .expectationUnknown: 417
        case .headTooLarge: 431
        case .transferCodingUnknown: 501
        case .tooManyConnections, .noRoomForBody, .noRoomForAnswer, .noRoomForOutcome: 503
        case .versionUnknown: 505
        }
    }

    /// - Parameter method: of the request that has been carried out.
    static func noRoomForAnswer(to method: String) -> Rejection {
        let isSafe = method == "GET" || method == "HEAD"
        return Rejection(
            isSafe ? .noRoomForAnswer : .noRoomForOutcome,
            "The server has as many answers as it has room for; read those you have asked for.")
    }

    /// The answer unless the server is given another hook: a problem document (RFC 9457).
    @Sendable public static func problem(_ rejection: Rejection, of _: Request) -> Response {
        let title = StatusLine.reason(of: rejection.status)
        // Title and detail are our own words and need no escaping.
        let json = """
            {"type":"about:blank","title":"\(title)","status":\(rejection.status),\
            "detail":"\(rejection.detail)"}
            """
        return Response(
            status: rejection.status, headers: ["content-type": "application/problem+json"],
            body: .bytes(Array(json.utf8)))
    }
}
