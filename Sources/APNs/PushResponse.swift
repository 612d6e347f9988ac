import Foundation

/// What APNs answered to one push.
public struct PushResponse: Hashable, Sendable {
    /// The HTTP status.
    public var status: Int
    /// Nil on success, and when a failure came without a readable body.
    public var reason: Reason?
    /// With 410: milliseconds since 1970 at which APNs found the token dead.
    public var timestampMilliseconds: Int64?

    public init(status: Int, reason: Reason? = nil, timestampMilliseconds: Int64? = nil) {
        self.status = status
        self.reason = reason
        self.timestampMilliseconds = timestampMilliseconds
    }

    /// - Parameter body: empty on success, else JSON with `reason`; anything else is tolerated.
    public init(status: Int, body: [UInt8]) {
        struct Failure: Decodable {
            var reason: String?
            var timestamp: Int64?
        }
        let failure = try? JSONDecoder().decode(Failure.self, from: Data(body))
        self.init(
            status: status, reason: failure?.reason.map { Reason($0) },
            timestampMilliseconds: failure?.timestamp)
    }

    /// What the answer means for the phone.
    public var verdict: DeliveryVerdict { DeliveryVerdict(self) }

    /// Why it was refused, for people.
    public var failure: String { reason?.text ?? "status \(status)" }
}
