public import Domain
public import EventStore
import HTTP
import Projections

/// What the API needs from the outside and may not import.
public struct APIEnvironment: Sendable {
    public var now: @Sendable () -> Moment
    /// Version of the program, shown by `/readyz`.
    public var version: String
    /// What readiness checks beyond the store, which is always checked.
    public var healthChecks: [HealthCheck]
    /// Whether the process lives, asked of nobody outside of it.
    public var liveChecks: [HealthCheck] = []
    /// Whether any call of the store was carried out in the last seconds.
    public var hasStoreWorked: @Sendable () -> Bool = { false }
    public var limits: APILimits
    /// Which log is served; nothing is asked of one that is held.
    public var log: LogStatus
    /// Nil when there is no master key, which webhooks' secrets are sealed with.
    public var webhooks: WebhookSetup?
    /// Pages of which hosts may call from a browser.
    public var cors = CORSPolicy.none
    /// What a tenant's log takes up, as it was a few seconds ago; nil when nobody has looked.
    public var usage: @Sendable (TenantID) -> TenantUsage?
    /// Asked before more is kept of a tenant's phones or for them; false if it keeps as much as
    /// `APILimits.storedRegistrationsMax` says.
    public var mayRegister: @Sendable (TenantID) -> Bool = { _ in true }
    /// Whether pushes of an app have a key that they can go with, as this node knows it; true where
    /// it sends none.
    public var hasKey: @Sendable (TenantApp) -> Bool = { _ in true }
    /// Called with every store error that a caller was not at fault for; for the log.
    public var report: @Sendable (_ error: EventStoreError, _ doing: String) -> Void

    public init(
        now: @escaping @Sendable () -> Moment, version: String,
        healthChecks: [HealthCheck] = [], limits: APILimits = .standard,
        log: LogStatus = LogStatus(), webhooks: WebhookSetup? = nil,
        usage: @escaping @Sendable (TenantID) -> TenantUsage? = { _ in nil },
        report: @escaping @Sendable (_ error: EventStoreError, _ doing: String) -> Void = { _, _ in
        }
    ) {
        self.now = now
        self.version = version
        self.healthChecks = healthChecks
        self.limits = limits
        self.log = log
        self.webhooks = webhooks
        self.usage = usage
        self.report = report
    }

    /// Nothing is read or written before it is clear which log this is.
    func requireAcceptedLog() throws(ProblemDocument) {
        guard log.hold != nil else { return }
        throw ProblemDocument(
            .logHeld, "The database is a copy or was restored, and is not accepted yet.",
            headers: limits.retryAfter)
    }

    /// The policies of a tenant's events at some positions, for folding them again.
    func book(
        of tenant: TenantID, _ store: EventStore, at positions: ClosedRange<Int64>
    ) async throws(ProblemDocument) -> PolicyBook {
        try await book(
            try await asked(
                "reading the policies", try await store.policies.inForce(tenant, positions)))
    }

    /// Policies as they are stored, which may be long to read.
    func book(_ stored: [StoredPolicy]) async throws(ProblemDocument) -> PolicyBook {
        guard !stored.isEmpty else { return .builtIn }
        do throws(PolicyError) {
            return try await OffLoop.run { () throws(PolicyError) in
                try ActivityCatalog.standard.book(stored)
            }
        } catch { throw PolicyRoutes.problem(error) }
    }

    /// What a call of the store gives, or the document for the caller.
    func asked<Answer>(
        _ doing: String, _ ask: @autoclosure () async throws(EventStoreError) -> Answer
    ) async throws(ProblemDocument) -> Answer {
        do { return try await ask() } catch { throw problem(for: error, doing: doing) }
    }

    /// Reports a store error and gives the document for the caller, who learns no internals.
    func problem(for error: EventStoreError, doing: String) -> ProblemDocument {
        let retryAfter = limits.retryAfter
        // A line about each caller that is sent away would add to the load, and one that has gone
        // by itself is no fault of the store.
        switch error {
        case .overloaded, .moving: break
        case .unavailable, .outcomeUnknown, .failed, .schema:
            if !Task.isCancelled { report(error, doing) }
        }
        switch error {
        case .overloaded(let detail):
            return ProblemDocument(
                .overloaded, "Not taken on: \(detail).", headers: retryAfter)
        case .moving:
            return ProblemDocument(
                .tenantMoving, "The tenant moves to another cell: nothing was recorded.",
                headers: retryAfter)
        case .unavailable:
            return ProblemDocument(
                .storeUnavailable, "The store did not answer while \(doing).",
                headers: retryAfter)
        case .outcomeUnknown:
            return ProblemDocument(
                .outcomeUnknown,
                "The store did not confirm in time while \(doing): it may have been done or not.",
                headers: retryAfter)
        case .failed, .schema:
            return ProblemDocument(.internalError, "The store failed while \(doing).")
        }
    }
}

/// One part of Islet that can be well or not.
public struct HealthCheck: Sendable {
    public enum Result: Hashable, Sendable {
        /// - Parameter detail: a few words, such as `lag 0`; nothing secret.
        case healthy(String)
        case unhealthy(String)
    }

    /// Lower case, for example `apns`.
    public var name: String
    public var probe: @Sendable () async -> Result

    public init(name: String, probe: @escaping @Sendable () async -> Result) {
        self.name = name
        self.probe = probe
    }
}
