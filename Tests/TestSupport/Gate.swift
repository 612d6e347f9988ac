/// Keeps callers waiting until it is opened, and tells how many wait.
public actor Gate {
    private var isOpen = false
    private var waiters: [CheckedContinuation<Void, Never>] = []
    private var countWaiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    public private(set) var passed = 0

    public init() {}

    public func pass() async {
        passed += 1
        let ready = countWaiters.filter { $0.count <= passed }
        countWaiters.removeAll { $0.count <= passed }
        for waiter in ready { waiter.continuation.resume() }
        await withCheckedContinuation { waiter in
            // Here and not before: at every `await` it may be opened.
            if isOpen { waiter.resume() } else { waiters.append(waiter) }
        }
    }

    public func open() {
        isOpen = true
        for waiter in waiters { waiter.resume() }
        waiters = []
    }

    /// Until so many callers have arrived, in all.
    public func arrivals(_ count: Int) async {
        await withCheckedContinuation { waiter in
            if passed >= count { waiter.resume() } else { countWaiters.append((count, waiter)) }
        }
    }
}
