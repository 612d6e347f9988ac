/// Broadcasts of one change: how many APNs accepted, and how many it did not. They say nothing
/// about phones.
public struct ChannelTally: Hashable, Sendable, Codable {
    /// Broadcasts that APNs accepted.
    public var accepted: Int
    /// Broadcasts that failed.
    public var failed: Int

    /// No broadcast.
    public static let none = ChannelTally(accepted: 0, failed: 0)

    public init(accepted: Int, failed: Int) {
        self.accepted = accepted
        self.failed = failed
    }

    /// Broadcasts in all.
    public var count: Int { accepted + failed }
}
