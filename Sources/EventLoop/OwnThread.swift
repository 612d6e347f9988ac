import Glibc

/// What a thread is started with; the thread lets go of it at its end.
final class OwnThread: Sendable {
    private let work: @Sendable () -> Void

    private init(_ work: @escaping @Sendable () -> Void) { self.work = work }

    /// Runs the work on a thread of its own, which is never joined.
    /// - Returns: 0, or why there is none.
    static func start(_ work: @escaping @Sendable () -> Void) -> Int32 {
        let own = Unmanaged.passRetained(OwnThread(work))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<OwnThread>.fromOpaque(argument).takeRetainedValue().work()
                return nil
            }, own.toOpaque())
        if code == 0 { pthread_detach(thread) } else { own.release() }
        return code
    }
}
