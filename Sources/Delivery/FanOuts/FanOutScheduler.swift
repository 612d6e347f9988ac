import Domain
import EventStore
import Locks

/// Says when each may send, so that a fan-out of few phones does not wait for those of many.
///
/// Every fan-out begins as a short one, of which there are a limited number at a time. One that has
/// sent its first pages is long: it takes no vacancy from others any more, and from then on waits
/// for its turn before each page. Turns go round the tenants, and there are as many as it takes to
/// keep APNs busy and no more, since whatever else is sent has to share the machine with those
/// pages. As long as there is a short fan-out, there are half as many.
///
/// Of the long fan-outs each tenant has its share. One that is refused gives its claim back, and
/// goes on where it was when the claims come round to its activity again.
actor FanOutScheduler {
    private var shortCount = 0
    private var long = FairShares<TenantID>(capacity: Limits.longFanOutsMax)
    private var turnsTaken = 0
    /// How long a page is under way, on average of the last few.
    private var pageSeconds: Double = 0
    private var waiting: [TenantID: [CheckedContinuation<Void, Never>]] = [:]
    /// Those with somebody waiting, whose turn is next first.
    private var tenants: [TenantID] = []
    /// Called when there may be room for a further fan-out.
    private let onVacancy: @Sendable () -> Void
    private let measure: @Sendable (SenderMeasure) -> Void

    init(
        measure: @escaping @Sendable (SenderMeasure) -> Void = { _ in },
        onVacancy: @escaping @Sendable () -> Void
    ) {
        self.measure = measure
        self.onVacancy = onVacancy
    }

    /// How many fan-outs may begin.
    var vacancies: Int { Limits.claimsMax - shortCount }

    var isIdle: Bool { shortCount == 0 && long.total == 0 }

    func begin(_ fanOuts: Int) {
        shortCount += fanOuts
        if fanOuts > 0 { measureFanOuts() }
    }

    private func measureFanOuts() {
        measure(
            .fanOuts(
                SenderMeasure.FanOuts(
                    short: shortCount, long: long.total, pages: turnsTaken,
                    waiting: waiting.values.reduce(0) { $0 + $1.count })))
    }

    func end(_ tenant: TenantID, isLong: Bool) {
        if isLong { long.giveBack(1, of: tenant) } else { shortCount -= 1 }
        giveOutTurns()
        measureFanOuts()
        onVacancy()
    }

    /// - Returns: false when the tenant has as many long fan-outs as it may.
    func becomeLong(_ tenant: TenantID) -> Bool {
        guard long.admit(1, of: tenant) else { return false }
        shortCount -= 1
        long.take(1, of: tenant)
        giveOutTurns()
        measureFanOuts()
        onVacancy()
        return true
    }

    /// How many pages of long fan-outs may be under way at once: one for each time that this
    /// machine could work through a page while one is under way. If APNs is far away, answers take
    /// long, and it takes more pages to keep APNs busy.
    var turns: Int {
        let wanted = Int(pageSeconds / Limits.pageWorkSeconds)
        let turns = min(max(wanted, Limits.longPagesAtOnceMin), Limits.longPagesAtOnceMax)
        return shortCount > 0 ? turns / 2 : turns
    }

    /// Waits until a long fan-out of the tenant may send a page. To be given back.
    func takeTurn(for tenant: TenantID) async {
        // All of it within: a turn that is given back between a look and the wait would be lost.
        await withCheckedContinuation { continuation in
            guard turnsTaken >= turns || !tenants.isEmpty else {
                turnsTaken += 1
                return continuation.resume()
            }
            if waiting[tenant] == nil { tenants.append(tenant) }
            waiting[tenant, default: []].append(continuation)
        }
    }

    /// - Parameter seconds: how long the page was under way; nil when it was not sent.
    func giveTurnBack(after seconds: Double?) {
        if let seconds { pageSeconds += (seconds - pageSeconds) / Limits.pagesAveraged }
        turnsTaken -= 1
        giveOutTurns()
    }

    private func giveOutTurns() {
        while turnsTaken < turns, let next = nextInLine() {
            turnsTaken += 1
            next.resume()
        }
    }

    private func nextInLine() -> CheckedContinuation<Void, Never>? {
        guard !tenants.isEmpty else { return nil }
        let tenant = tenants.removeFirst()
        guard var queue = waiting.removeValue(forKey: tenant) else { return nil }
        let next = queue.removeFirst()
        if !queue.isEmpty {
            waiting[tenant] = queue
            tenants.append(tenant)
        }
        return next
    }
}
