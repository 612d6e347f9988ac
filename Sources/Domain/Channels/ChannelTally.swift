/// Broadcasts of one change: how many APNs accepted, and how many it did not. They say nothing
/// about phones.
public struct ChannelTally: Hashable, Sendable, Codable {
    public var accepted: Int
    public var failed: Int

    public static let none = ChannelTally(accepted: 0, failed: 0)

    public init(accepted: Int, failed: Int) {
        self.accepted = accepted
        self.failed = failed
    }

    public var count: Int { accepted + failed }
}
