import Foundation

/// What APNs answered to a request about channels.
public struct BroadcastResponse: Hashable, Sendable {
    /// The HTTP status.
    public var status: Int
    /// Of a channel that was made.
    public var channelID: String?
    /// Of a list, all that there are; nil for another answer.
    public var channelIDs: [String]?
    /// Nil on success, and when a failure came without a readable body.
    public var reason: BroadcastReason?

    public init(
        status: Int, channelID: String? = nil, channelIDs: [String]? = nil,
        reason: BroadcastReason? = nil
    ) {
        self.status = status
        self.channelID = channelID
        self.channelIDs = channelIDs
        self.reason = reason
    }

    /// - Parameter body: a list's JSON with `channels`, a failure's with `reason`; anything else is
    ///   tolerated.
    public init(status: Int, channelID: String?, body: [UInt8]) {
        struct Body: Decodable {
            var reason: String?
            var channels: [String]?
        }
        let read = body.isEmpty ? nil : try? JSONDecoder().decode(Body.self, from: Data(body))
        self.init(
            status: status, channelID: channelID, channelIDs: read?.channels,
            reason: read?.reason.map { BroadcastReason($0) })
    }

    /// What the answer means for the channel.
    public var verdict: BroadcastVerdict { BroadcastVerdict(self) }

    /// For people and the log.
    public var failure: String { reason?.text ?? "status \(status)" }
}
