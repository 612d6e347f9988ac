import Domain
import Locks

/// Lets each tenant do one thing at a time that takes long, so that nobody takes all the threads.
final class TenantTurns: Sendable {
    private typealias Waiter = CheckedContinuation<Bool, Never>

    /// Those that wait, of each tenant for which something is being done.
    private let waiting = Lock([TenantID: ArraySlice<Waiter>]())
    private let waitingMax: Int

    /// - Parameter waitingMax: how many of one tenant may wait.
    init(waitingMax: Int = .max) { self.waitingMax = waitingMax }

    /// To be followed by `end`.
    /// - Returns: false, at once, when too many wait already; then there is nothing to end.
    func begin(_ tenant: TenantID) async -> Bool {
        await withCheckedContinuation { continuation in
            let answer: Bool? = waiting.withLock { waiting in
                guard let line = waiting[tenant] else {
                    waiting[tenant] = []
                    return true
                }
                guard line.count < waitingMax else { return false }
                waiting[tenant]?.append(continuation)
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }

    func end(_ tenant: TenantID) {
        let next = waiting.withLock { waiting in
            let next = waiting[tenant]?.popFirst()
            if next == nil { waiting[tenant] = nil }
            return next
        }
        next?.resume(returning: true)
    }
}

extension TenantTurns {
    /// Reads a body, a large one on another thread, since the loop does nothing else while it reads
    /// one.
    /// - Parameter bytes: how much there is to read.
    func read<Content: Sendable>(
        bytes: Int, of tenant: TenantID,
        _ body: @Sendable () throws(ProblemDocument) -> Content
    ) async throws(ProblemDocument) -> Content {
        guard bytes > Limits.readOnLoopBytesMax else { return try body() }
        return try await readOffLoop(of: tenant, body)
    }

    /// Reads events. More of them are read on the loop if they are plainly written, since that is
    /// several times as fast.
    /// - Parameters:
    ///   - plain: gives nil if they may be written in another way.
    ///   - otherwise: reads events however they are written.
    func readEvents<Content: Sendable>(
        bytes: Int, of tenant: TenantID,
        plain: @Sendable () throws(ProblemDocument) -> Content?,
        otherwise: @Sendable () throws(ProblemDocument) -> Content
    ) async throws(ProblemDocument) -> Content {
        let isTriedOnLoop = bytes <= Limits.plainOnLoopBytesMax
        if isTriedOnLoop, let content = try plain() { return content }
        return try await read(bytes: bytes, of: tenant) { () throws(ProblemDocument) -> Content in
            if !isTriedOnLoop, let content = try plain() { return content }
            return try otherwise()
        }
    }

    /// Reads what takes long however short it is.
    func readOffLoop<Content: Sendable>(
        of tenant: TenantID, _ body: @Sendable () throws(ProblemDocument) -> Content
    ) async throws(ProblemDocument) -> Content {
        _ = await begin(tenant)
        defer { end(tenant) }
        return try await OffLoop.run(body)
    }
}
