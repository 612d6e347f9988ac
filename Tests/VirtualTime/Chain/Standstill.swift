import Domain
import EventStore

/// Whether a node runs and is heard of, and what it can know of that by its own clock.
// @unchecked: everything is touched on the virtual thread only.
final class Standstill: @unchecked Sendable {
    /// As in the program: pushes that have waited for so long are not sent any more.
    static let pushDeadlineSeconds = 10.0
    /// After so long without an answer a node takes its claims for lost.
    private static let trustSeconds = 8.0

    private let thread: VirtualThread
    private var still: (since: Moment, until: Moment)?
    private var deafSince: Moment?
    private(set) var cutAt: Moment?
    /// When what the node owned was last given to others.
    private var lostAt: Moment?
    /// What the database does when it has not heard of the node for too long.
    var onLost: () -> Void = {}

    /// What a node is in the midst of when it is stopped.
    enum Occasion: CaseIterable {
        /// A push is at APNs, and its answer on the way.
        case answer
        case statement
        /// A fold, with the checkpoint locked.
        case fold
        /// A round that knows whom to send to, and has not begun to.
        case page
    }

    private var armed: (occasion: Occasion, countdown: Int, begin: () -> Void)?

    init(_ thread: VirtualThread) { self.thread = thread }

    /// - Parameters:
    ///   - count: the how many-th such occasion from now on.
    ///   - begin: called then.
    func arm(_ occasion: Occasion, _ count: Int, begin: @escaping () -> Void) {
        armed = (occasion, count, begin)
    }

    var isArmed: Bool { armed != nil }

    func reached(_ occasion: Occasion) {
        guard let next = armed, next.occasion == occasion else { return }
        armed?.countdown -= 1
        guard next.countdown <= 1 else { return }
        armed = nil
        next.begin()
    }

    var isStill: Bool { still.map { thread.now < $0.until } ?? false }

    func begin(for seconds: Double) {
        still = (thread.now, thread.now.adding(seconds: seconds))
        loseLater { self.isStill }
    }

    func cut() { cutAt = cutAt ?? thread.now }

    /// The node's session is not answered for a while, though the node runs.
    func beDeaf(for seconds: Double) async {
        let since = thread.now
        if deafSince == nil {
            deafSince = since
            loseLater { self.deafSince == since }
        }
        await thread.sleep(seconds)
        if deafSince == since { deafSince = nil }
    }

    /// Where a process would go on it waits while it stands still.
    /// - Returns: for how many seconds.
    @discardableResult
    func pass() async -> Double {
        let began = thread.now
        while isStill, let still { await thread.sleep(still.until.seconds(since: thread.now)) }
        return thread.now.seconds(since: began)
    }

    /// What the node can know.
    func isCurrent(_ claimedAt: Moment) -> Bool {
        if let lostAt, claimedAt <= lostAt { return false }
        let silent = [cutAt, deafSince, isStill ? still?.since : nil].compactMap(\.self)
        return silent.allSatisfy { thread.now.seconds(since: $0) < Self.trustSeconds }
    }

    /// A claim with this timestamp is one of which the node must have known that it is lost.
    func mustKnowLost(_ timestamp: Int64) -> Bool {
        lostAt.map { timestamp < $0.unixSeconds } ?? false
            || cutAt.map { thread.now.seconds(since: $0) > Self.trustSeconds } ?? false
    }

    /// By the database, which hears of a node every second and waits for eleven.
    private func loseLater(while isSilent: @escaping @Sendable () -> Bool) {
        Task { [self] in
            await thread.sleep(thread.seconds(10...11))
            guard isSilent() else { return }
            lostAt = thread.now
            onLost()
        }
    }
}
