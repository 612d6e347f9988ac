public import Domain

/// One phone's wish to be kept up to date about one activity.
public struct Registration: Hashable, Sendable {
    public var id: Int64
    public var tenant: TenantID
    public var activityID: ActivityID
    public var pushToken: PushToken
    public var environment: APNsEnvironment
    /// The app's bundle id, without the push-type suffix.
    public var bundleID: String
    /// Version of the newest decision whose push APNs accepted for this phone; 0 for none.
    public var sentVersion: Int64
    /// Failed attempts since the last success.
    public var attempts: Int
    public var registeredAt: Moment
    /// Grows whenever the phone registers again.
    public var tokenVersion: Int

    public init(
        id: Int64, tenant: TenantID, activityID: ActivityID, pushToken: PushToken,
        environment: APNsEnvironment, bundleID: String, sentVersion: Int64, attempts: Int,
        registeredAt: Moment, tokenVersion: Int
    ) {
        self.id = id
        self.tenant = tenant
        self.activityID = activityID
        self.pushToken = pushToken
        self.environment = environment
        self.bundleID = bundleID
        self.sentVersion = sentVersion
        self.attempts = attempts
        self.registeredAt = registeredAt
        self.tokenVersion = tokenVersion
    }
}

/// Who is to be told. Registering the same token again is harmless.
public struct RegistrationStore: Sendable {
    /// Adds the phone, or brings a known one back to life; it is then owed the newest state.
    /// - Returns: the registration's id and whether it is new.
    public var register:
        @Sendable (
            _ tenant: TenantID, _ activity: ActivityID, _ token: PushToken,
            _ environment: APNsEnvironment, _ bundleID: String
        ) async throws(EventStoreError) -> (id: Int64, isNew: Bool)
    /// Registrations that still receive pushes.
    public var count:
        @Sendable (_ tenant: TenantID, _ activity: ActivityID) async throws(EventStoreError) -> Int

    public init(
        register:
            @escaping @Sendable (
                _ tenant: TenantID, _ activity: ActivityID, _ token: PushToken,
                _ environment: APNsEnvironment, _ bundleID: String
            ) async throws(EventStoreError) -> (id: Int64, isNew: Bool),
        count:
            @escaping @Sendable (_ tenant: TenantID, _ activity: ActivityID)
            async throws(EventStoreError) -> Int
    ) {
        self.register = register
        self.count = count
    }
}
