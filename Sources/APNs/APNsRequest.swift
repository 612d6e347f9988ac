/// One request to APNs, complete but for the provider token that the client adds: a push to one
/// phone, a broadcast to a channel, or a call that manages channels.
///
/// Its path may have a push token and its body a customer's order, so it never describes itself.
public struct APNsRequest: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// Names in lower case. A plain pair, because this module knows no HTTP library.
    public struct Header: Hashable, Sendable {
        /// In lower case.
        public var name: String
        /// As it is sent.
        public var value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The HTTP method, which tells making, deleting and listing channels apart.
    public enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case delete = "DELETE"
    }

    /// What APNs offers; channels are managed at a host of its own.
    public enum Service: String, Sendable {
        case push, broadcast, channel
    }

    /// Left to the phone's convenience or delivered at once and charged to its budget.
    public enum Priority: Int, Sendable {
        case conserving = 5
        case immediate = 10
    }

    /// Sent as `:method`.
    public var method: Method
    /// Sent as `:path`. That of a push contains the token.
    public var path: String
    /// All header fields except the provider token.
    public var headers: [Header]
    /// JSON, or nothing.
    public var body: [UInt8]
    /// Nil when nobody needs to know.
    public var origin: PushOrigin?

    public init(
        method: Method = .post, path: String, headers: [Header], body: [UInt8] = [],
        origin: PushOrigin? = nil
    ) {
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
        self.origin = origin
    }

    /// An update or end of one activity on one phone.
    ///
    /// Source: Sending notification requests to APNs; Starting and updating Live Activities.
    /// - Parameters:
    ///   - tokenHex: the activity's update token.
    ///   - bundleID: without suffix; the topic adds `.push-type.liveactivity`.
    ///   - apnsID: canonical lower-case UUID, echoed in the answer.
    ///   - expiration: Unix seconds until which APNs may keep trying.
    ///   - body: `Payload.json`, at most `Limits.devicePayloadBytesMax` bytes.
    public static func device(
        tokenHex: String, bundleID: String, apnsID: String, priority: Priority,
        expiration: Int64, body: [UInt8], origin: PushOrigin? = nil
    ) -> APNsRequest {
        APNsRequest(
            path: "/3/device/\(tokenHex)",
            headers: [
                Header("apns-push-type", "liveactivity"),
                Header("apns-topic", "\(bundleID).push-type.liveactivity"),
                Header("apns-priority", String(priority.rawValue)),
                Header("apns-expiration", String(expiration)),
                Header("apns-id", apnsID),
            ],
            body: body, origin: origin)
    }

    /// Which of APNs' services it is for.
    public var service: Service {
        path.hasPrefix("/3/") ? .push : path.hasPrefix("/4/") ? .broadcast : .channel
    }

    public var description: String { "<\(service.rawValue) request of \(body.count) bytes>" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
