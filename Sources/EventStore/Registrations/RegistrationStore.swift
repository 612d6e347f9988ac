public import Domain

/// What a request makes of the cards that it is about; pure.
public typealias CardRules = @Sendable (_ request: CardRequest, _ cards: Cards) -> CardChange

/// The phones that are to be sent something.
public protocol RegistrationStore: Sendable {
    /// Carries out what the rules say: all of it or nothing. They are asked again when someone else
    /// was quicker.
    /// - Returns: their last word, and the id of the named card if there is one.
    func change(
        _ tenant: TenantID, _ activity: ActivityID, _ request: CardRequest, _ rules: CardRules
    ) async throws(EventStoreError) -> (change: CardChange, id: Int64?)
    /// How much the tenant keeps of phones and for them, on all activities: registrations, phones
    /// that listen to channels or on which cards may be started, audiences and channels.
    /// - Parameter most: as far as it is counted.
    func kept(_ tenant: TenantID, _ most: Int) async throws(EventStoreError) -> Int
    /// Those of the activity's cards that were not served any more at a time, or are not now.
    func tally(_ tenant: TenantID, _ activity: ActivityID, _ at: Moment?)
        async throws(EventStoreError) -> CardTally
    /// Those that missed something when a push failed, and got it by a later one.
    func behind(_ tenant: TenantID, _ activity: ActivityID) async throws(EventStoreError)
        -> PhonesBehind
}
