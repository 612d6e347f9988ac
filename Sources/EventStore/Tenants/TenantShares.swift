public import Domain

/// Room that all tenants share. Each may hold as much of it as is left free for the others: one
/// alone gets half, of two that want everything each gets a third, and with any number of them
/// there is room for one more. No tenant has to know which others there are.
public struct TenantShares: Sendable {
    public let capacity: Int
    public private(set) var total = 0
    private var held: [TenantID: Int] = [:]

    public init(capacity: Int) { self.capacity = capacity }

    /// What a tenant holds.
    public func amount(of tenant: TenantID) -> Int { held[tenant] ?? 0 }

    /// Whether the tenant may have so much more. The first that it asks for may take what is free,
    /// and an empty room takes anything, so that nothing is refused for ever.
    public func admit(_ amount: Int, of tenant: TenantID) -> Bool {
        guard let own = held[tenant] else { return total == 0 || hasRoom(for: amount) }
        return own + amount <= capacity - total
    }

    /// Whether so much more is free, for any tenant.
    public func hasRoom(for amount: Int) -> Bool { total + amount <= capacity }

    public mutating func take(_ amount: Int, of tenant: TenantID) {
        held[tenant, default: 0] += amount
        total += amount
    }

    public mutating func giveBack(_ amount: Int, of tenant: TenantID) {
        guard let own = held[tenant] else { return }
        total -= amount
        held[tenant] = own > amount ? own - amount : nil
    }
}
