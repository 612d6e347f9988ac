import DeliveryRules
public import Domain
public import EventStore

extension RegistrationStore {
    /// A phone that says no more of itself than it must.
    /// - Returns: the registration's id and whether it is new.
    public func register(
        _ tenant: TenantID, _ activity: ActivityID, _ token: PushToken,
        _ environment: APNsEnvironment, _ bundleID: String
    ) async throws(EventStoreError) -> (id: Int64, isNew: Bool) {
        let wish = CardWish(token: token, environment: environment, bundleID: bundleID)
        let (change, id) = try await self.change(
            tenant, activity, .register(wish), CardMachine.handle)
        return (id ?? 0, change.answer == .registered)
    }
}
