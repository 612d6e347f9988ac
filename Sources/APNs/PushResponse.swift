import Foundation

/// What APNs answered to one request.
public struct PushResponse: Hashable, Sendable {
    /// The HTTP status.
    public var status: Int
    /// Nil on success, and when a failure came without a readable body.
    public var reason: Reason?
    /// With 410: milliseconds since 1970 at which APNs found the token dead.
    public var timestampMilliseconds: Int64?
    /// Of a channel that was made.
    public var channelID: String?
    /// Of a list, all that there are; nil for another answer.
    public var channelIDs: [String]?

    public init(
        status: Int, reason: Reason? = nil, timestampMilliseconds: Int64? = nil,
        channelID: String? = nil, channelIDs: [String]? = nil
    ) {
        self.status = status
        self.reason = reason
        self.timestampMilliseconds = timestampMilliseconds
        self.channelID = channelID
        self.channelIDs = channelIDs
    }

    /// - Parameter body: a failure's JSON with `reason`, a list's with `channels`; anything else is
    ///   tolerated.
    public init(status: Int, channelID: String? = nil, body: [UInt8]) {
        // Each by itself: one that cannot be read leaves the others, and so the reason, readable.
        struct Body: Decodable {
            enum Member: String, CodingKey {
                case reason, timestamp, channels
            }

            var reason: String?
            var timestamp: Int64?
            var channels: [String]?

            init(from decoder: any Decoder) throws {
                let members = try decoder.container(keyedBy: Member.self)
                reason = try? members.decode(String.self, forKey: .reason)
                timestamp = try? members.decode(Int64.self, forKey: .timestamp)
                channels = try? members.decode([String].self, forKey: .channels)
            }
        }
        let read = body.isEmpty ? nil : try? JSONDecoder().decode(Body.self, from: Data(body))
        self.init(
            status: status, reason: read?.reason.map { Reason($0) },
            timestampMilliseconds: read?.timestamp, channelID: channelID,
            channelIDs: read?.channels)
    }

    /// What the answer means.
    public var verdict: DeliveryVerdict { DeliveryVerdict(self) }

    /// Why it was refused, for people.
    public var failure: String { reason?.text ?? "status \(status)" }
}
