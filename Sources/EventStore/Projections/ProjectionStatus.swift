public import Domain

/// How far a tenant's log is folded, and what is in the way.
public struct ProjectionStatus: Hashable, Sendable {
    public var tenant: Tenant
    /// Last position of the log.
    public var head: Int64
    /// Last position that was folded.
    public var checkpoint: Int64
    /// How long the oldest event after the checkpoint has been recorded; 0 when there is none.
    public var lagSeconds: Double
    public var generation: Int32
    /// Events of the live generation that wait for somebody to act.
    public var parked: Int64
    /// Events that somebody decided to leave out.
    public var skipped: Int64
    /// Activities that stand still.
    public var blocked: Int64
    /// The progress of the generation that is folded beside the live one.
    public var rebuild: RebuildProgress?

    public init(
        tenant: Tenant, head: Int64, checkpoint: Int64, lagSeconds: Double, generation: Int32,
        parked: Int64, skipped: Int64, blocked: Int64, rebuild: RebuildProgress?
    ) {
        self.tenant = tenant
        self.head = head
        self.checkpoint = checkpoint
        self.lagSeconds = lagSeconds
        self.generation = generation
        self.parked = parked
        self.skipped = skipped
        self.blocked = blocked
        self.rebuild = rebuild
    }
}

/// A tenant whose log goes on after its checkpoint. All times are the database's.
public struct ProjectionLag: Hashable, Sendable {
    public var tenant: TenantID
    public var checkpoint: Int64
    public var head: Int64
    /// How long the oldest event after the checkpoint has been recorded.
    public var waitedSeconds: Double
    /// How long ago the checkpoint moved last.
    public var unmovedSeconds: Double

    public init(
        tenant: TenantID, checkpoint: Int64, head: Int64, waitedSeconds: Double,
        unmovedSeconds: Double
    ) {
        self.tenant = tenant
        self.checkpoint = checkpoint
        self.head = head
        self.waitedSeconds = waitedSeconds
        self.unmovedSeconds = unmovedSeconds
    }

    /// Events that wait to be folded.
    public var events: Int64 { head - checkpoint }

    /// Something has waited for so long, and nothing was folded meanwhile.
    public func isStalled(secondsMax: Double) -> Bool {
        min(waitedSeconds, unmovedSeconds) > secondsMax
    }
}

/// A parked event as an operator sees it.
public struct ParkedRow: Hashable, Sendable {
    public var event: ParkedEvent
    public var type: String
    /// The version of the activity that the event leads to.
    public var version: Int64
    public var parkedAt: Moment
    /// Somebody decided to leave it out.
    public var isSkipped: Bool

    public init(
        event: ParkedEvent, type: String, version: Int64, parkedAt: Moment, isSkipped: Bool
    ) {
        self.event = event
        self.type = type
        self.version = version
        self.parkedAt = parkedAt
        self.isSkipped = isSkipped
    }
}
