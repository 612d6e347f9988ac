/// Sizes and periods that Apple fixes for Live Activities.
public enum Limits {
    /// Bytes of a body to `/3/device`. Source: Generating a remote notification.
    public static let devicePayloadBytesMax = 4096
    /// Bytes of a body to `/4/broadcasts`.
    /// Source: Sending broadcast push notification requests to APNs.
    public static let broadcastPayloadBytesMax = 5120
    /// Channels of one app in one environment. Source: Setting up broadcast push notifications.
    public static let channelsMax = 10_000
    /// More than one new token in this time on one connection is answered with
    /// `TooManyProviderTokenUpdates`. Source: as above.
    public static let providerTokenRefreshSecondsMin: Int64 = 1200
    /// How long APNs should keep trying to reach a phone that is away. A card older than this is
    /// better left as it is than brought up by a push that newer ones have overtaken.
    public static let expirationSeconds: Int64 = 3600
    /// Likewise, of what no later push overtakes: a card's end, and the newest message of a channel
    /// that keeps one. A card lives no longer, and APNs keeps a channel's message no longer.
    /// Source: Displaying live data with Live Activities.
    public static let lastingExpirationSeconds: Int64 = 8 * 3600
    /// Bytes of attributes and content state of a start together.
    /// Source: Displaying live data with Live Activities.
    public static let startedStateBytesMax = 4096
    /// How long APNs should keep a start for a phone that is away: a short outage must not lose the
    /// card, and one that appears much later would be out of date.
    public static let startExpirationSeconds: Int64 = 300
}
