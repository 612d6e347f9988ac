import Domain
import EventStore

/// No app, and nothing that waits.
struct FakeAppStore: AppStore {
    func keys() async throws(EventStoreError) -> [AppKeyRecord] { [] }

    func add(_: NewAppKey, _: AppKeyRules.Intent) async throws(EventStoreError) -> AppKeyRules
        .Refusal?
    { nil }

    func remove(_: TenantID, _: String, _: String?) async throws(EventStoreError) -> Int { 0 }

    func reseal(_: AppKeyRecord, _: [UInt8], _: String) async throws(EventStoreError) -> Bool {
        false
    }

    func alarms() async throws(EventStoreError) -> [AppAlarm] { [] }

    func raise(_: AppAlarm) async throws(EventStoreError) {}

    func clear(_: TenantApp) async throws(EventStoreError) {}

    func deferred() async throws(EventStoreError) -> [DeferredPhones] { [] }

    func deferredBy(_: TenantID, _: ActivityID) async throws(EventStoreError) -> [DeferredPhones] {
        []
    }

    func release(_: TenantApp) async throws(EventStoreError) {}
}
