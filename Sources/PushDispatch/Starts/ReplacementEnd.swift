import APNs
public import Domain

/// The push that takes an old card away at once when a fresh one has taken its place. The activity
/// goes on.
public struct ReplacementEnd: Sendable {
    /// The push itself.
    public let message: PushPlan.Message
    /// Unix seconds until which APNs keeps the push for a phone that is away.
    public let expiration: Int64

    /// - Parameter timestamp: Unix seconds, as that of the fresh card's start.
    /// - Returns: nil when the state is too large for a push, which is sent when it fits again.
    public static func make(snapshot: Snapshot, timestamp: Int64) -> ReplacementEnd? {
        guard snapshot.contentState.count <= Limits.contentStateBytesMax else { return nil }
        let payload = Payload(
            event: .end, timestamp: timestamp, contentState: snapshot.contentState,
            dismissalDate: timestamp)
        return ReplacementEnd(
            message: PushPlan.Message(priority: .immediate, body: payload.json),
            expiration: timestamp + APNs.Limits.expirationSeconds)
    }
}
