/// Holds callers back until it is opened, and tells how many wait.
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
        if isOpen { return }
        await withCheckedContinuation { waiters.append($0) }
    }

    public func open() {
        isOpen = true
        for waiter in waiters { waiter.resume() }
        waiters = []
    }

    /// Until so many callers have arrived, in all.
    public func arrivals(_ count: Int) async {
        if passed >= count { return }
        await withCheckedContinuation { countWaiters.append((count, $0)) }
    }
}
