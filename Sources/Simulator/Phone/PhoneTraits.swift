public import Domain

/// What sort of phone it is and how its app is doing.
public struct PhoneTraits: Hashable, Sendable {
    /// Of the app build; nil for the one that this APNs serves.
    public var environment: APNsEnvironment?
    public var system: IOSVersion
    /// The person has swiped the app out of the app switcher: the system still starts cards for
    /// pushes, but the app never wakes to obtain their update tokens.
    public var isAppKilled: Bool
    /// The app asks for frequent updates and the person has not switched them off.
    public var allowsFrequentUpdates: Bool
    /// By name of the kind: where the app's build is an older one.
    public var older: [String: OlderState]

    public init(
        environment: APNsEnvironment? = nil, system: IOSVersion = IOSVersion(18, 0),
        isAppKilled: Bool = false, allowsFrequentUpdates: Bool = false,
        older: [String: OlderState] = [:]
    ) {
        self.environment = environment
        self.system = system
        self.isAppKilled = isAppKilled
        self.allowsFrequentUpdates = allowsFrequentUpdates
        self.older = older
    }
}

/// What a phone allows where Apple publishes no figure.
public struct PhoneRules: Hashable, Sendable {
    /// Activities of the app that may be active or stale at once.
    public var activitiesMax = Limits.activitiesMax
    /// Push-to-starts that a phone obeys within the window. Nothing raises it.
    public var startsMax = Limits.startsMax
    public var startWindowSeconds = Limits.startWindowSeconds
    /// Updates at priority 10 that are shown of one activity; nil for any number.
    public var updates: Pace? = Pace(
        count: Limits.updatesMax, refillSeconds: Limits.updateRefillSeconds)
    /// Likewise where frequent updates are allowed.
    public var frequentUpdates: Pace? = Pace(
        count: Limits.frequentUpdatesMax, refillSeconds: Limits.frequentUpdateRefillSeconds)

    /// So many at once, and one more each time that long.
    public struct Pace: Hashable, Sendable {
        public var count: Double
        public var refillSeconds: Double
    }

    public init() {}
}
