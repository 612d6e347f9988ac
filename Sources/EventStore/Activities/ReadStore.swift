public import Domain

/// Questions of dashboards and apps about a tenant's activities, in the live generation.
public protocol ReadStore: Sendable {
    /// - Parameter rowVersion: of what the caller has already; that is not sent again.
    func activity(_ tenant: TenantID, _ activity: ActivityID, _ rowVersion: String?)
        async throws(EventStoreError) -> ActivityReading
    /// A page of the activities that pass a filter: in order of last changes if the filter says
    /// since when, else in order of ids. A page looks through a bounded number of activities, so
    /// it can be short or empty although there is a next one.
    ///
    /// What is there all the time is listed once in order of ids. In order of last changes it is
    /// listed again if it changes meanwhile, and never missed.
    /// - Parameter after: `next` of the page before.
    func list(
        _ tenant: TenantID, _ filter: ActivityFilter, _ after: ActivityPage.Place?, _ limit: Int,
        _ now: Moment
    ) async throws(EventStoreError) -> ActivityPage
    /// A page of the live activities of a competition, or of any, by the time at which they began
    /// or were to. One whose time changes meanwhile may be missed, or listed again.
    /// - Parameter after: `next` of the page before.
    func scoreboard(
        _ tenant: TenantID, _ competition: String?, _ after: ScoreboardPage.Place?, _ limit: Int
    ) async throws(EventStoreError) -> ScoreboardPage
    func overview(_ tenant: TenantID, _ since: Moment, _ now: Moment) async throws(EventStoreError)
        -> Overview
    func freshness(_ tenant: TenantID) async throws(EventStoreError) -> Freshness
}
