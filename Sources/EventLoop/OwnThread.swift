import CUV
import Glibc

/// What a thread is started with; the thread lets go of it at its end.
package final class OwnThread: Sendable {
    /// Runs the work on a thread.
    /// - Returns: 0, or why there is none.
    package typealias Starter =
        @Sendable (_ name: String, _ work: @escaping @Sendable () -> Void) -> Int32

    private let name: String
    private let work: @Sendable () -> Void

    private init(_ name: String, _ work: @escaping @Sendable () -> Void) {
        self.name = name
        self.work = work
    }

    /// Runs the work on a thread of its own, which is never joined.
    /// - Parameter name: what the system's tools call it, as much of it as they take.
    /// - Returns: 0, or why there is none.
    package static func start(
        _ name: String, _ work: @escaping @Sendable () -> Void
    ) -> Int32 {
        let own = Unmanaged.passRetained(OwnThread(name, work))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                let own = Unmanaged<OwnThread>.fromOpaque(argument).takeRetainedValue()
                cuv_name_current_thread(String(own.name.prefix(Limits.threadNameBytesMax)))
                own.work()
                return nil
            }, own.toOpaque())
        if code == 0 { pthread_detach(thread) } else { own.release() }
        return code
    }
}
