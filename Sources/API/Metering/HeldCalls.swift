import Domain
import HTTP

/// Streams and reads that wait for something, which a node holds for as long as they last. Each
/// tenant has its share of them.
struct HeldCalls: Sendable {
    private let shares: HeldShares
    private let retryAfter: Headers

    init(_ limits: APILimits, max: Int = Limits.heldCallsMax) {
        shares = HeldShares(capacity: max)
        retryAfter = limits.retryAfter
    }

    func count(of tenant: TenantID) -> Int { shares.amount(of: tenant) }

    func hold(_ tenant: TenantID) throws(ProblemDocument) -> HeldShares.Place {
        if let place = shares.hold(1, of: tenant) { return place }
        throw ProblemDocument(
            .rateLimited,
            "The tenant holds \(count(of: tenant)) streams and waiting reads of this node already, "
                + "which is its own share.",
            headers: retryAfter)
    }
}
