public import Domain

/// Questions of dashboards and apps about a tenant's activities, in the live generation.
public struct ReadStore: Sendable {
    /// - Parameter mark: of what the caller has already; it is not sent again.
    public var activity:
        @Sendable (_ tenant: TenantID, _ activity: ActivityID, _ mark: String?)
            async throws(EventStoreError) -> ActivityReading
    /// A page of the activities that pass a filter: in order of last changes if the filter says
    /// since when, else in order of ids. A page looks through a bounded number of activities, so
    /// it can be short or empty although there is a next one.
    ///
    /// What is there all the time is listed once in order of ids. In order of last changes it is
    /// listed again if it changes meanwhile, and never missed.
    /// - Parameter after: `next` of the page before.
    public var list:
        @Sendable (
            _ tenant: TenantID, _ filter: ActivityFilter, _ after: ActivityPage.Place?,
            _ limit: Int, _ now: Moment
        ) async throws(EventStoreError) -> ActivityPage
    /// Live activities of a competition, or of any, by the time at which they began or were to.
    public var scoreboard:
        @Sendable (_ tenant: TenantID, _ competition: String?, _ limit: Int)
            async throws(EventStoreError) -> ActivityPage
    public var overview:
        @Sendable (_ tenant: TenantID, _ since: Moment, _ now: Moment)
            async throws(EventStoreError) -> Overview
    public var progress: @Sendable (_ tenant: TenantID) async throws(EventStoreError) -> Progress

    public init(
        activity:
            @escaping @Sendable (_ tenant: TenantID, _ activity: ActivityID, _ mark: String?)
            async throws(EventStoreError) -> ActivityReading,
        list:
            @escaping @Sendable (
                _ tenant: TenantID, _ filter: ActivityFilter, _ after: ActivityPage.Place?,
                _ limit: Int, _ now: Moment
            ) async throws(EventStoreError) -> ActivityPage,
        scoreboard:
            @escaping @Sendable (_ tenant: TenantID, _ competition: String?, _ limit: Int)
            async throws(EventStoreError) -> ActivityPage,
        overview:
            @escaping @Sendable (_ tenant: TenantID, _ since: Moment, _ now: Moment)
            async throws(EventStoreError) -> Overview,
        progress:
            @escaping @Sendable (_ tenant: TenantID) async throws(EventStoreError) -> Progress
    ) {
        self.activity = activity
        self.list = list
        self.scoreboard = scoreboard
        self.overview = overview
        self.progress = progress
    }
}
