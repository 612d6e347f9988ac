import EventLoop

/// A client's requests are begun a few in each iteration of the loop, on whatever connections they
/// have come, so that one who sends thousands at once does not make others wait for all of them. On
/// the loop only.
final class IterationQuota {
    private let loop: EventLoop
    private var begun: [ObjectIdentifier: Int] = [:]
    private var waiting: [() -> Void] = []
    private var isNextScheduled = false

    init(loop: EventLoop) {
        self.loop = loop
    }

    /// - Returns: whether one more may be begun now; else `next` tells when to ask again.
    func take(_ account: BodyAccounts.Account) -> Bool {
        let count = begun[ObjectIdentifier(account), default: 0]
        guard count < Limits.requestsPerIterationMax else { return false }
        begun[ObjectIdentifier(account)] = count + 1
        scheduleNext()
        return true
    }

    /// In the order of asking, after the sockets have been looked at. Nobody needs to ask twice.
    func next(_ work: @escaping () -> Void) {
        waiting.append(work)
        scheduleNext()
    }

    private func scheduleNext() {
        if isNextScheduled { return }
        isNextScheduled = true
        loop.schedule(after: .zero) {
            self.isNextScheduled = false
            self.begun.removeAll(keepingCapacity: true)
            let ready = self.waiting
            self.waiting = []
            for work in ready { work() }
        }
    }
}
