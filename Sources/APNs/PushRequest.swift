/// One push to one phone, complete but for the provider token that the client adds.
///
/// Its path holds the push token, so it never describes itself.
public struct PushRequest: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
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

    /// Left to the phone's convenience or delivered at once and charged to its budget.
    public enum Priority: Int, Sendable {
        case conserving = 5
        case immediate = 10
    }

    /// Sent as `:path`. It contains the push token.
    public var path: String
    /// All header fields except the provider token.
    public var headers: [Header]
    /// The payload's JSON.
    public var body: [UInt8]
    /// Nil when nobody needs to know.
    public var origin: PushOrigin?

    public init(path: String, headers: [Header], body: [UInt8], origin: PushOrigin? = nil) {
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
    ) -> PushRequest {
        PushRequest(
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

    public var description: String { "<push of \(body.count) bytes>" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
