/// An app in one of Apple's environments. In each it has tokens and channels of its own.
public struct AppInEnvironment: Hashable, Sendable {
    /// Without the push-type suffix.
    @ByBytes public var bundleID: String
    public var environment: APNsEnvironment

    public init(bundleID: String, environment: APNsEnvironment) {
        self.bundleID = bundleID
        self.environment = environment
    }
}
