import EventLoop
import Glibc

/// A descriptor that somebody else reads, such as standard error. What it does not take is dropped:
/// a program that ends for want of a reader would end its work with it.
final class WrittenDescriptor: Sendable {
    static let standardError = WrittenDescriptor(2)

    private struct State {
        /// It took nothing for as long as somebody waited. Nobody waits again until it does.
        var isStuck = false
        /// What was dropped last stopped in the middle.
        var endsInLine = false
    }

    private let descriptor: Int32
    /// Opened by this object, and closed with it.
    private let isOwn: Bool
    private let state = Lock(State())

    /// A pipe that has room takes so many bytes at once without blocking (`PIPE_BUF`).
    private static let pieceBytes = 4_096

    /// A terminal that nobody reads, such as one of `docker run -t`, says that it has room when it
    /// has less than a piece, and then blocks the writer. It is opened a second time without
    /// blocking, so that the flags of those who share the first descriptor stay as they are.
    init(_ descriptor: Int32) {
        let again =
            isatty(descriptor) == 1
            ? open(
                "/proc/self/fd/\(descriptor)", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
            : -1
        isOwn = again >= 0
        self.descriptor = isOwn ? again : descriptor
    }

    deinit { if isOwn { close(descriptor) } }

    /// - Parameter waitMillisMax: how long it may take nothing; as long as it likes by default.
    /// - Returns: the system's code for why not all was written; nil when it was.
    @discardableResult
    func write(_ text: String, waitMillisMax: Int32 = -1) -> Int32? {
        let lineEnd = state.withLock { $0.endsInLine } ? "\n" : ""
        let bytes = Array((lineEnd + text).utf8)
        var (rest, tookAt) = (bytes[...], ContinuousClock.now)
        while true {
            let left = rest.count
            let (failure, isStuck) = state.withLock { state -> (Int32?, Bool) in
                let failure = put(&rest)
                if failure == nil { state = State() }
                return (failure, state.isStuck)
            }
            guard let failure else { return nil }
            if rest.count < left { tookAt = .now }
            let patience = isStuck ? 0 : waitMillisMax
            let mayWait = patience < 0 || ContinuousClock.now - tookAt <= .milliseconds(patience)
            if failure == EAGAIN, mayWait, isReady(within: patience) {
                // What says that it has room and takes nothing is not asked without a pause.
                if rest.count == left { usleep(1_000) }
                continue
            }
            state.withLock { state in
                if failure == EAGAIN { state.isStuck = true }
                if rest.count < bytes.count { state.endsInLine = true }
            }
            return failure
        }
    }

    /// Never waits, although the descriptor may: others have it too, and it is not ours to change.
    /// - Returns: `EAGAIN` when it takes no more for now.
    private func put(_ rest: inout ArraySlice<UInt8>) -> Int32? {
        while !rest.isEmpty {
            guard isReady(within: 0) else { return EAGAIN }
            let count = rest.prefix(Self.pieceBytes).withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return errno }
            rest = rest.dropFirst(count)
        }
        return nil
    }

    /// True also when nothing can be written any more: the write then says why.
    private func isReady(within millis: Int32) -> Bool {
        while true {
            var place = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            let count = poll(&place, 1, millis)
            if count >= 0 || errno != EINTR { return count != 0 }
        }
    }
}
