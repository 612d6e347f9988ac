/// Who waits for a connection: each owner's in their order, and the owners take turns.
struct WaitingLine<Waiter> {
    /// Nil owns what is done for everybody.
    typealias Owner = Int32?

    private var lines: [Owner: ArraySlice<Waiter>] = [:]
    /// Owners with waiters, the next one first.
    private var turns: [Owner] = []
    private(set) var count = 0

    func count(of owner: Owner) -> Int { lines[owner]?.count ?? 0 }

    mutating func append(_ waiter: Waiter, of owner: Owner) {
        if lines[owner] == nil { turns.append(owner) }
        lines[owner, default: []].append(waiter)
        count += 1
    }

    /// Whose turn it is of those who may have something; nil when nobody may.
    func nextOwner(where mayHave: (Owner) -> Bool) -> Owner? { turns.first(where: mayHave) }

    /// The first of the owner's, who then stands behind all others.
    mutating func takeNext(of owner: Owner) -> Waiter? {
        guard var line = lines.removeValue(forKey: owner), let waiter = line.popFirst() else {
            return nil
        }
        turns.removeAll { $0 == owner }
        if !line.isEmpty {
            lines[owner] = line
            turns.append(owner)
        }
        count -= 1
        return waiter
    }

    mutating func remove(of owner: Owner, where isWanted: (Waiter) -> Bool) -> Waiter? {
        guard let index = lines[owner]?.firstIndex(where: isWanted) else { return nil }
        let waiter = lines[owner]?.remove(at: index)
        if lines[owner]?.isEmpty ?? true {
            lines[owner] = nil
            turns.removeAll { $0 == owner }
        }
        count -= 1
        return waiter
    }

    mutating func takeAll() -> [Waiter] {
        defer { (lines, turns, count) = ([:], [], 0) }
        return turns.flatMap { lines[$0] ?? [] }
    }
}
