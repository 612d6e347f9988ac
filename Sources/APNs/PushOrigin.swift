/// Whose push it is, for the code that weighs refusals; nothing of it is sent. Plain texts, because
/// this module knows no activities.
public struct PushOrigin: Hashable, Sendable {
    /// The activity that the push is about.
    public var activity: String
    /// The app's copy on one phone, as far as that is known.
    public var phone: String
    /// APNs has accepted a push to the token before.
    public var isProven: Bool

    public init(activity: String, phone: String, isProven: Bool) {
        self.activity = activity
        self.phone = phone
        self.isProven = isProven
    }
}
