public import Domain

/// Whether APNs keeps the newest message of a channel for phones that are offline. A channel never
/// changes it.
public enum MessageStorage: Int, Hashable, Sendable, Codable {
    case none = 0
    case newest = 1
}

/// A broadcast channel as Apple has it.
public struct SimulatedChannel: Hashable, Sendable {
    /// Random bytes in base64; neither their number nor anything else about them is fixed.
    public let id: String
    public let bundleID: String
    public let environment: APNsEnvironment
    public let storage: MessageStorage
    public internal(set) var broadcasts = 0
    var newestAt: Moment?
}

/// What broadcasting is like for the apps of the team.
public struct BroadcastRules: Hashable, Sendable {
    /// Whether the apps have the capability.
    public var isEnabled = true
    /// Channels of one app.
    public var channelsMax = Limits.channelsMax
    /// A broadcast sooner than this after the one before on its channel is refused with 429; nil
    /// for no such limit. Apple's is dynamic and unpublished.
    public var intervalSecondsMin: Double?

    public init() {}
}

/// The channels Apple knows, by id. A deleted one is gone, and its id never comes back.
struct ChannelDirectory: Sendable {
    private var channels: [String: SimulatedChannel] = [:]

    func channel(
        _ id: String, of bundleID: String, in environment: APNsEnvironment
    ) -> SimulatedChannel? {
        guard let channel = channels[id], channel.bundleID.hasBytes(of: bundleID),
            channel.environment == environment
        else { return nil }
        return channel
    }

    /// Of both environments, sorted by id, which is no order at all.
    func channels(of bundleID: String) -> [SimulatedChannel] {
        channels.values.filter { $0.bundleID.hasBytes(of: bundleID) }.sorted { $0.id < $1.id }
    }

    func count(of bundleID: String, in environment: APNsEnvironment) -> Int {
        channels.values.count {
            $0.bundleID.hasBytes(of: bundleID) && $0.environment == environment
        }
    }

    mutating func insert(_ channel: SimulatedChannel) {
        channels[channel.id] = channel
    }

    mutating func noteBroadcast(on id: String, at now: Moment) {
        channels[id]?.newestAt = now
        channels[id]?.broadcasts += 1
    }

    mutating func delete(_ id: String) {
        channels[id] = nil
    }

    mutating func deleteAll() {
        channels = [:]
    }
}
