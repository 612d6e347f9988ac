/// Why a server answers a request itself instead of handing it to the handler.
public struct Rejection: Hashable, Sendable {
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
        case .tooManyConnections, .noRoomForBody: 503
        case .versionUnknown: 505
        }
    }

    /// The answer unless the server is given another hook: a problem document (RFC 9457).
    @Sendable public static func problem(_ rejection: Rejection) -> Response {
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

extension Rejection: Error {}
