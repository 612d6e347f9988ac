public import Domain

/// Apps of tenants: their keys for APNs, and what keeps pushes of theirs back.
public protocol AppStore: Sendable {
    /// All tenants', oldest first.
    func keys() async throws(EventStoreError) -> [AppKeyRecord]
    /// Adds a key and tells every node. Phones whose token was called unfit are tried again.
    /// - Returns: nil when it was added.
    func add(_ key: NewAppKey, _ intent: AppKeyRules.Intent) async throws(EventStoreError)
        -> AppKeyRules.Refusal?
    /// Removes one key of an app, or with nil all, and tells every node. Likewise.
    /// - Returns: the number of keys removed.
    func remove(_ tenant: TenantID, _ bundleID: String, _ keyID: String?)
        async throws(EventStoreError) -> Int
    /// Replaces a key's seal.
    /// - Returns: false when the key is gone or was sealed again meanwhile.
    func reseal(_ key: AppKeyRecord, _ sealed: [UInt8], _ masterKeyID: String)
        async throws(EventStoreError) -> Bool
    /// Of all tenants.
    func alarms() async throws(EventStoreError) -> [AppAlarm]
    /// Notes that sending was stopped. `since` of one that is noted already stays.
    func raise(_ alarm: AppAlarm) async throws(EventStoreError)
    /// Removes what was noted. Phones whose token APNs had accepted before it called all of them
    /// unfit are tried again.
    func clear(_ app: TenantApp) async throws(EventStoreError)
    /// Removes those of the alarms that have not been raised again since they were read, and for
    /// whose app no card and no channel waits that the next push of it could release. Cards that
    /// are to be started are not looked for: the caller leaves out the apps that are `deferred`.
    /// - Returns: those that went.
    func clearIdle(_ alarms: [AppAlarm]) async throws(EventStoreError) -> [AppAlarm]
    /// Phones that wait, of all tenants: of each the first `Limits.countedMax` of either sort.
    func deferred() async throws(EventStoreError) -> [DeferredPhones]
    /// Those of one activity.
    func deferredBy(_ tenant: TenantID, _ activity: ActivityID) async throws(EventStoreError)
        -> [DeferredPhones]
    /// Makes all that waits for the app due at once, and wakes senders.
    func release(_ app: TenantApp) async throws(EventStoreError)
}
