/// A registration whose push token APNs rejected: it does not know it in the environment that the
/// phone named, or not as its app's.
public struct RejectedToken: Hashable, Sendable {
    /// Its place among a tenant's.
    public struct Place: Hashable, Sendable {
        /// When APNs rejected it.
        public var rejectedAt: Moment
        /// The registration that it belongs to.
        public var registrationID: Int64

        public init(rejectedAt: Moment, registrationID: Int64) {
            self.rejectedAt = rejectedAt
            self.registrationID = registrationID
        }
    }

    /// Where it stands among the rejections.
    public var place: Place
    /// The activity that the phone follows.
    public var activityID: ActivityID
    /// The app that the phone named.
    @ByBytes public var bundleID: String
    /// The environment that the phone named.
    public var environment: APNsEnvironment
    /// In APNs' words.
    public var reason: String
    /// Under which id it is among the dead letters.
    public var deadLetter: String

    public init(
        place: Place, activityID: ActivityID, bundleID: String, environment: APNsEnvironment,
        reason: String, deadLetter: String
    ) {
        self.place = place
        self.activityID = activityID
        self.bundleID = bundleID
        self.environment = environment
        self.reason = reason
        self.deadLetter = deadLetter
    }
}
