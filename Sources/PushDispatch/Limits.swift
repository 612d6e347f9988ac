/// Bounds of what is decided and sent.
public enum Limits {
    /// Bytes of a content state that may be pushed. Apple allows 4096 for the whole body; the rest
    /// is kept for the alert and the envelope.
    public static let contentStateBytesMax = 3072
    /// Bodies of alerts that are joined when several changes share one push; the rest is counted.
    /// More would be cut off by the banner.
    public static let joinedAlertsMax = 2
    /// Alerts of an activity that quiet hours keep back: more than anybody reads in the morning.
    public static let keptBackAlertsMax = 8
    /// A missed alert is repeated only while it is still news; later the state goes out quietly.
    public static let missedAlertAgeSecondsMax: Double = 600
}
