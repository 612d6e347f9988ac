import Domain

/// Who sends when, so that a round of few phones is not kept waiting by those of many.
///
/// Every round begins as a short one, of which there are a limited number at a time. One that has
/// sent its first pages is long: it takes no place from others any more, and from then on waits for
/// its turn before each page. Turns go round the tenants.
actor Desk {
    private var shortCount = 0
    private var longCount = 0
    private var freeTurns = Limits.longPagesAtOnceMax
    private var waiting: [TenantID: [CheckedContinuation<Void, Never>]] = [:]
    /// Those with somebody waiting, whose turn is next first.
    private var tenants: [TenantID] = []
    /// Called when there may be room for a further round.
    private let onVacancy: @Sendable () -> Void

    init(onVacancy: @escaping @Sendable () -> Void) { self.onVacancy = onVacancy }

    /// How many rounds may begin.
    var vacancies: Int { Limits.claimsMax - shortCount }

    var isIdle: Bool { shortCount == 0 && longCount == 0 }

    func begin(_ rounds: Int) { shortCount += rounds }

    func end(isLong: Bool) {
        if isLong { longCount -= 1 } else { shortCount -= 1 }
        onVacancy()
    }

    /// - Returns: false when there are as many long rounds as there may be; the round stays short.
    func becomeLong() -> Bool {
        guard longCount < Limits.longRoundsMax else { return false }
        shortCount -= 1
        longCount += 1
        onVacancy()
        return true
    }

    /// Waits until a long round of the tenant may send a page. To be given back.
    func takeTurn(for tenant: TenantID) async {
        // All of it within: a turn that is given back between a look and the wait would be lost.
        await withCheckedContinuation { continuation in
            guard freeTurns == 0 else {
                freeTurns -= 1
                return continuation.resume()
            }
            if waiting[tenant] == nil { tenants.append(tenant) }
            waiting[tenant, default: []].append(continuation)
        }
    }

    func giveTurnBack() {
        guard !tenants.isEmpty else {
            freeTurns += 1
            return
        }
        let tenant = tenants.removeFirst()
        guard var queue = waiting.removeValue(forKey: tenant) else { return }
        let next = queue.removeFirst()
        if !queue.isEmpty {
            waiting[tenant] = queue
            tenants.append(tenant)
        }
        next.resume()
    }
}
