/// Room that many owners share, such as tenants. Each may have as much of it as is left free for
/// the others: one alone gets half, of two that want everything each gets a third, and with any
/// number of them there is room for one more. No owner has to know which others there are.
///
/// Inlinable, so that it is code of the owner's own type where it is asked for each request.
public struct FairShares<Owner: Hashable & Sendable>: Sendable {
    public let capacity: Int
    @usableFromInline var amounts: [Owner: Int] = [:]
    @usableFromInline var taken = 0

    public init(capacity: Int) { self.capacity = capacity }

    /// What all owners have.
    @inlinable public var total: Int { taken }

    /// What an owner has.
    @inlinable public func amount(of owner: Owner) -> Int { amounts[owner] ?? 0 }

    /// Whether the owner may have so much more. The first that it asks for may take what is free,
    /// and an empty room takes anything, so that nothing is refused for ever.
    @inlinable public func admit(_ amount: Int, of owner: Owner) -> Bool {
        guard let own = amounts[owner] else { return total == 0 || hasRoom(for: amount) }
        return own + amount <= capacity - total
    }

    /// Whether so much more is free, for any owner.
    @inlinable public func hasRoom(for amount: Int) -> Bool { total + amount <= capacity }

    @inlinable public mutating func take(_ amount: Int, of owner: Owner) {
        amounts[owner, default: 0] += amount
        taken += amount
    }

    @inlinable public mutating func giveBack(_ amount: Int, of owner: Owner) {
        guard let own = amounts[owner] else { return }
        taken -= amount
        amounts[owner] = own > amount ? own - amount : nil
    }
}
