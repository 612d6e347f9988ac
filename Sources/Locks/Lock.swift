public import Glibc

/// A value behind a pthread mutex. `Synchronization.Mutex` is a bare futex, which the thread
/// sanitizer cannot see; it would report every access as a race.
///
/// What takes it is compiled into the caller: as a generic function it would copy what is inside.
// @unchecked: `state` is only touched with `mutex` locked.
public final class Lock<State>: @unchecked Sendable {
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline var state: State

    public init(_ state: sending State) {
        self.state = state
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        let code = pthread_mutex_init(mutex, nil)
        precondition(code == 0, "pthread_mutex_init failed with \(code)")
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Not recursive: `body` must not take the same lock.
    @inlinable @inline(__always)
    public func withLock<R, E: Error>(_ body: (inout State) throws(E) -> R) throws(E) -> R {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state)
    }
}
