/// A server of a tenant's that receives changes.
public struct Webhook: Hashable, Sendable {
    /// Why nothing is sent to it. Only the owner turns it on again.
    public enum Stop: String, CaseIterable, Sendable {
        case owner
        /// It answered 410: it wants no more.
        case gone
        /// Nothing has arrived for days.
        case failing
    }

    /// The tenant whose changes it receives.
    public var tenant: TenantID
    /// `wh_` and 24 hexadecimal digits.
    public var id: String
    /// Where messages are posted.
    public var url: String
    /// Kinds of activities that it receives; empty for all.
    public var kinds: [String]
    /// Phases of activities after the change that it receives; empty for all.
    public var phases: [Phase]
    /// When it was added.
    public var createdAt: Moment
    /// Why it is off; nil while it is on.
    public var stop: Stop?
    /// Since when it is off.
    public var stoppedAt: Moment?
    /// How sending goes.
    public var health: WebhookHealth

    public init(
        tenant: TenantID, id: String, url: String, kinds: [String] = [], phases: [Phase] = [],
        createdAt: Moment, stop: Stop? = nil, stoppedAt: Moment? = nil,
        health: WebhookHealth = WebhookHealth()
    ) {
        self.tenant = tenant
        self.id = id
        self.url = url
        self.kinds = kinds
        self.phases = phases
        self.createdAt = createdAt
        self.stop = stop
        self.stoppedAt = stoppedAt
        self.health = health
    }

    /// Whether it receives an activity.
    public func wants(_ snapshot: Snapshot) -> Bool {
        wants(kind: snapshot.kind, phase: snapshot.phase)
    }

    /// Whether it receives changes of such activities.
    public func wants(kind: String, phase: Phase) -> Bool {
        wants(kind: kind) && (phases.isEmpty || phases.contains(phase))
    }

    /// Whether it receives activities of a kind, in some phase or other.
    public func wants(kind: String) -> Bool { kinds.isEmpty || kinds.contains(kind) }
}

/// How sending to a webhook goes.
public struct WebhookHealth: Hashable, Sendable {
    /// Pages in a row of which nothing arrived.
    public var failures: Int
    /// When the first of them was.
    public var failingSince: Moment?
    /// Nothing is sent before then.
    public var pausedUntil: Moment?
    /// Failure of the newest message that did not arrive; nil once all of a page did.
    public var lastFailure: String?

    public init(
        failures: Int = 0, failingSince: Moment? = nil, pausedUntil: Moment? = nil,
        lastFailure: String? = nil
    ) {
        self.failures = failures
        self.failingSince = failingSince
        self.pausedUntil = pausedUntil
        self.lastFailure = lastFailure
    }
}
