public import Domain

/// What sort of phone it is and how its app is doing.
public struct PhoneTraits: Hashable, Sendable {
    /// Of the app build; nil for the one that this APNs serves.
    public var environment: APNsEnvironment?
    public var system: IOSVersion
    /// The person has swiped the app out of the app switcher: the system still starts cards for
    /// pushes, but the app never wakes to obtain their update tokens.
    public var isAppKilled: Bool

    public init(
        environment: APNsEnvironment? = nil, system: IOSVersion = IOSVersion(18, 0),
        isAppKilled: Bool = false
    ) {
        self.environment = environment
        self.system = system
        self.isAppKilled = isAppKilled
    }
}

/// What a phone allows where Apple publishes no figure.
public struct PhoneRules: Hashable, Sendable {
    /// Activities of the app that may be active or stale at once.
    public var activitiesMax = Limits.activitiesMax
    /// Push-to-starts that a phone obeys within the window. Nothing raises it.
    public var startsMax = Limits.startsMax
    public var startWindowSeconds = Limits.startWindowSeconds

    public init() {}
}
