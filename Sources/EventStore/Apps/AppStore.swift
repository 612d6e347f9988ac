public import Domain

/// Apps of tenants: their keys for APNs, and what keeps pushes of theirs back.
public struct AppStore: Sendable {
    /// All tenants', oldest first.
    public var keys: @Sendable () async throws(EventStoreError) -> [AppKeyRecord]
    /// Adds a key and tells every node. Phones whose token was called unfit are tried again.
    /// - Returns: nil when it was added.
    public var add:
        @Sendable (_ key: NewAppKey, _ intent: AppKeyRules.Intent) async throws(EventStoreError)
            -> AppKeyRules.Refusal?
    /// Removes one key of an app, or with nil all, and tells every node. Likewise.
    /// - Returns: the number of keys removed.
    public var remove:
        @Sendable (_ tenant: TenantID, _ bundleID: String, _ keyID: String?)
            async throws(EventStoreError) -> Int
    /// Replaces a key's seal.
    /// - Returns: false when the key is gone or was sealed anew meanwhile.
    public var reseal:
        @Sendable (_ key: AppKeyRecord, _ sealed: [UInt8], _ masterKeyID: String)
            async throws(EventStoreError) -> Bool
    /// Of all tenants.
    public var alarms: @Sendable () async throws(EventStoreError) -> [AppAlarm]
    /// Notes that sending was stopped. `since` of one that is noted already stays.
    public var raise: @Sendable (AppAlarm) async throws(EventStoreError) -> Void
    /// Removes what was noted. Phones whose token APNs had accepted before it called all of them
    /// unfit are tried again.
    public var clear: @Sendable (TenantApp) async throws(EventStoreError) -> Void
    /// Phones that wait, of all tenants.
    public var held: @Sendable () async throws(EventStoreError) -> [HeldPhones]
    /// Those of one activity.
    public var heldBy:
        @Sendable (_ tenant: TenantID, _ activity: ActivityID) async throws(EventStoreError)
            -> [HeldPhones]
    /// Makes all that waits for the app due at once, and wakes senders.
    public var release: @Sendable (TenantApp) async throws(EventStoreError) -> Void

    public init(
        keys: @escaping @Sendable () async throws(EventStoreError) -> [AppKeyRecord],
        add:
            @escaping @Sendable (_ key: NewAppKey, _ intent: AppKeyRules.Intent)
            async throws(EventStoreError) -> AppKeyRules.Refusal?,
        remove:
            @escaping @Sendable (_ tenant: TenantID, _ bundleID: String, _ keyID: String?)
            async throws(EventStoreError) -> Int,
        reseal:
            @escaping @Sendable (_ key: AppKeyRecord, _ sealed: [UInt8], _ masterKeyID: String)
            async throws(EventStoreError) -> Bool,
        alarms: @escaping @Sendable () async throws(EventStoreError) -> [AppAlarm],
        raise: @escaping @Sendable (AppAlarm) async throws(EventStoreError) -> Void,
        clear: @escaping @Sendable (TenantApp) async throws(EventStoreError) -> Void,
        held: @escaping @Sendable () async throws(EventStoreError) -> [HeldPhones],
        heldBy:
            @escaping @Sendable (_ tenant: TenantID, _ activity: ActivityID)
            async throws(EventStoreError) -> [HeldPhones],
        release: @escaping @Sendable (TenantApp) async throws(EventStoreError) -> Void
    ) {
        self.keys = keys
        self.add = add
        self.remove = remove
        self.reseal = reseal
        self.alarms = alarms
        self.raise = raise
        self.clear = clear
        self.held = held
        self.heldBy = heldBy
        self.release = release
    }
}
