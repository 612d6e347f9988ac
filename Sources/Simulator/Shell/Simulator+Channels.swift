import EventLoop

/// One broadcast channel as a tester sees it.
public struct ChannelView: Hashable, Sendable, Codable {
    /// What a sender has in `apns-channel-id`.
    public var id: String
    public var storagePolicy: MessageStorage
    /// How many were accepted.
    public var broadcasts: Int
    /// With a running card that listens.
    public var phones: Int
}

/// What a tester does with channels other than over the management port.
extension Simulator {
    /// All channels of the app, in no order that means anything.
    public func channels() -> [ChannelView] {
        state.withLock { state in
            state.world.apns.channels(of: configuration.bundleID).map { channel in
                ChannelView(
                    id: channel.id, storagePolicy: channel.storage,
                    broadcasts: channel.broadcasts,
                    phones: state.world.listenerCount(of: channel.id))
            }
        }
    }
}
