/// Who waits for a connection: each owner's in their order, and the owners take turns.
struct WaitingLine<Waiter> {
    /// Nil owns what is done for everybody.
    typealias Owner = Int32?

    private struct Line {
        /// Ids of callers that have given up stay until their turn, or until they are the most.
        var ids: ArraySlice<UInt64> = []
        var count = 0
    }

    private var waiters: [UInt64: Waiter] = [:]
    private var lines: [Owner: Line] = [:]
    /// Owners with waiters, the next one first.
    private var turns: [Owner] = []

    var count: Int { waiters.count }

    func count(of owner: Owner) -> Int { lines[owner]?.count ?? 0 }

    /// - Parameter id: nobody else's.
    mutating func append(_ waiter: Waiter, id: UInt64, of owner: Owner) {
        if lines[owner] == nil { turns.append(owner) }
        waiters[id] = waiter
        lines[owner, default: Line()].ids.append(id)
        lines[owner, default: Line()].count += 1
    }

    /// Whose turn it is of those who may have something; nil when nobody may.
    func nextOwner(where mayHave: (Owner) -> Bool) -> Owner? { turns.first(where: mayHave) }

    /// The first of the owner's, who then stands behind all others.
    mutating func takeNext(of owner: Owner) -> Waiter? {
        guard var line = lines.removeValue(forKey: owner) else { return nil }
        turns.removeAll { $0 == owner }
        var taken: Waiter?
        while taken == nil, let id = line.ids.popFirst() { taken = waiters.removeValue(forKey: id) }
        if taken != nil { line.count -= 1 }
        if line.count > 0 {
            lines[owner] = line
            turns.append(owner)
        }
        return taken
    }

    /// Thousands may give up at once: whatever the line's length, it costs the same.
    mutating func remove(_ id: UInt64, of owner: Owner) -> Waiter? {
        guard let waiter = waiters.removeValue(forKey: id) else { return nil }
        lines[owner]?.count -= 1
        guard let line = lines[owner], line.count > 0 else {
            lines[owner] = nil
            turns.removeAll { $0 == owner }
            return waiter
        }
        if line.ids.count > 2 * line.count + 16 {
            lines[owner]?.ids.removeAll { waiters[$0] == nil }
        }
        return waiter
    }

    mutating func takeAll() -> [Waiter] {
        defer { (waiters, lines, turns) = ([:], [:], []) }
        return turns.flatMap { owner in (lines[owner]?.ids ?? []).compactMap { waiters[$0] } }
    }
}
