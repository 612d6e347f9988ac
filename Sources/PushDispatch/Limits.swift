import Domain

/// Bounds of what is decided and sent.
public enum Limits {
    /// Bytes of a content state that may be pushed; the fold cuts texts to stay below.
    public static let contentStateBytesMax = Domain.Limits.pushedStateBytesMax
    /// Bodies of alerts that are joined when several changes share one push; the rest is counted.
    /// More would be cut off by the banner.
    public static let joinedAlertsMax = 2
    /// A missed alert is repeated only while it is still news; later the state goes out quietly.
    public static let missedAlertAgeSecondsMax: Double = 600
}
