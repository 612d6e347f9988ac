import EventLoop

/// A client's requests are begun a few in each iteration of the loop, whatever version of HTTP it
/// speaks, so that one who sends thousands at once does not make others wait for all of them. Its
/// connections take turns, and all sockets are looked at between two iterations. On the loop only.
final class IterationQuota {
    /// What one client has begun, and what of it waits for its turn.
    struct Turns {
        fileprivate var iteration: UInt64 = 0
        fileprivate var begun = 0
        fileprivate var waiting = 0
    }

    private let loop: EventLoop
    /// The iteration that is counted. It begins with what has waited, before the loop counts it.
    private var iteration: UInt64 = 0
    /// What all clients have begun in it.
    private var begun = 0
    private var waiting: [(account: BodyAccounts.Account, work: () -> Void)] = []
    /// The client whose turn it is.
    private var called: BodyAccounts.Account?
    private var isNextScheduled = false

    init(loop: EventLoop) {
        self.loop = loop
    }

    /// - Returns: whether one more may be begun now; else `next` tells when to ask again. What
    ///   waits already goes first.
    func take(_ account: BodyAccounts.Account) -> Bool {
        guard account.turns.waiting == 0 || account === called, hasRoom(for: account) else {
            return false
        }
        called = nil
        account.turns.begun += 1
        begun += 1
        return true
    }

    /// Calls `work`, in the order of asking, in an iteration in which it may take one at least.
    func next(_ account: BodyAccounts.Account, _ work: @escaping () -> Void) {
        account.turns.waiting += 1
        waiting.append((account, work))
        scheduleNext()
    }

    /// There is always room for a client's first, so that nobody waits for many others.
    private func hasRoom(for account: BodyAccounts.Account) -> Bool {
        let present = max(iteration, loop.iteration)
        if iteration != present { (iteration, begun) = (present, 0) }
        if account.turns.iteration != present {
            (account.turns.iteration, account.turns.begun) = (present, 0)
        }
        if account.turns.begun == 0 { return true }
        let ofOne = min(
            max(Limits.requestsPerIteration, account.connections),
            Limits.requestsPerIterationMax)
        return account.turns.begun < ofOne && begun < Limits.requestsPerIterationMaxOfAll
    }

    private func scheduleNext() {
        if isNextScheduled { return }
        isNextScheduled = true
        loop.schedule(after: .zero) {
            self.isNextScheduled = false
            (self.iteration, self.begun) = (self.loop.iteration + 1, 0)
            self.callWaiting()
            if !self.waiting.isEmpty { self.scheduleNext() }
        }
    }

    private func callWaiting() {
        var stillWaiting: [(account: BodyAccounts.Account, work: () -> Void)] = []
        while !waiting.isEmpty {
            let ready = waiting
            // Who has more to begin waits here, behind the client's other connections.
            waiting = []
            for (account, work) in ready {
                guard hasRoom(for: account) else {
                    stillWaiting.append((account, work))
                    continue
                }
                account.turns.waiting -= 1
                called = account
                work()
                called = nil
            }
        }
        waiting = stillWaiting
    }
}
