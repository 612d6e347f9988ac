/// Counts who holds how many of a number of places.
///
/// Nobody may hold more than are left free: one alone gets half of them, two get a third each, and
/// however many somebody wants, there are some for the next one.
public struct FairShares<Share: Hashable & Sendable>: Sendable {
    public let placesMax: Int
    public private(set) var taken = 0
    private var held: [Share: Int] = [:]

    public init(placesMax: Int) { self.placesMax = placesMax }

    public func hasRoom(for share: Share) -> Bool { held[share, default: 0] < placesMax - taken }

    /// Only where there is room.
    public mutating func take(for share: Share) {
        taken += 1
        held[share, default: 0] += 1
    }

    public mutating func giveBack(for share: Share) {
        taken -= 1
        let rest = held[share, default: 0] - 1
        held[share] = rest > 0 ? rest : nil
    }
}
