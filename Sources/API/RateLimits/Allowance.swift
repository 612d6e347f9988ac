import Domain
import EventStore
import HTTP

/// What one tenant may use of this node: the node's settings and the tenant's own together.
struct Allowance: Hashable, Sendable {
    var requests: RateBucket.Rate
    var events: RateBucket.Rate
    var bodyBytesMax: Int
    var batchEventsMax: Int
    var bytes: RateBucket.Rate
    var storedEventsMax: Int?
    var storedBytesMax: Int?

    init(_ node: APILimits, _ tenant: TenantLimits) {
        requests = Self.rate(tenant.requestsPerSecond ?? node.requestsPerSecond)
        events = Self.rate(tenant.eventsPerSecond ?? node.eventsPerSecond)
        bodyBytesMax = min(node.bodyBytesMax, tenant.bodyBytesMax ?? .max)
        batchEventsMax = min(node.eventsPerBatchMax, tenant.batchEventsMax ?? .max)
        bytes = Self.rate(tenant.bytesPerSecond ?? node.bytesPerSecond)
        storedEventsMax = tenant.storedEventsMax ?? node.storedEventsMax
        storedBytesMax = tenant.storedBytesMax ?? node.storedBytesMax
    }

    static func rate(_ perSecond: Int) -> RateBucket.Rate {
        let perSecond = min(perSecond, RateBucket.Rate.most)
        return RateBucket.Rate(perSecond: perSecond, burst: perSecond * Limits.rateBurstSeconds)
    }

    mutating func limitBodies(to bytesMax: Int) { bodyBytesMax = min(bodyBytesMax, bytesMax) }

    func check(body request: Request) throws(ProblemDocument) {
        guard request.body.count <= bodyBytesMax else {
            throw ProblemDocument(
                .bodyTooLarge, "The body must not be longer than \(bodyBytesMax) bytes.")
        }
    }

    /// What a tenant keeps can be beyond its quota by what came since the last look.
    func check(_ usage: TenantUsage) throws(ProblemDocument) {
        if let storedEventsMax, usage.events >= storedEventsMax {
            throw ProblemDocument(
                .quotaExceeded, "The tenant may keep \(storedEventsMax) events, which it does.")
        }
        if let storedBytesMax, usage.bytes >= storedBytesMax {
            throw ProblemDocument(
                .quotaExceeded,
                "The tenant may keep \(storedBytesMax) bytes of events, which it does.")
        }
    }

    func check(batchOf count: Int) throws(ProblemDocument) {
        guard count <= batchEventsMax else {
            throw ProblemDocument(
                .tooManyEvents, "A batch holds at most \(batchEventsMax.counted("event")).")
        }
    }
}
