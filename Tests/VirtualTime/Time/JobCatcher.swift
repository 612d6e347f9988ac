import Foundation

/// Hands tasks that become ready on a virtual thread to that thread, and no others.
///
/// Tasks that nobody gave an executor run on the global one, also those that the code under test
/// makes by itself. Swift lets the way into the global executor be replaced, for the whole process;
/// who comes from elsewhere than a virtual thread goes the usual way.
enum JobCatcher {
    private typealias Enqueue = @convention(thin) (UnownedJob) -> Void
    private typealias Hook = @convention(thin) (UnownedJob, Enqueue) -> Void

    /// Of the virtual thread that runs on a thread.
    // Written once, before any other thread can read it.
    nonisolated(unsafe) private static var key: pthread_key_t = 0

    private static let isInstalled: Bool = {
        pthread_key_create(&key, nil)
        guard let symbol = dlsym(dlopen(nil, RTLD_LAZY), "swift_task_enqueueGlobal_hook") else {
            return false
        }
        symbol.assumingMemoryBound(to: Hook?.self).pointee = { job, enqueue in
            guard let thread = pthread_getspecific(JobCatcher.key) else { return enqueue(job) }
            Unmanaged<VirtualThread>.fromOpaque(thread).takeUnretainedValue().enqueue(job)
        }
        return true
    }()

    /// Catches what becomes ready on the calling thread while `body` runs.
    static func catching<R>(for thread: VirtualThread, _ body: () -> R) -> R {
        precondition(isInstalled, "this Swift runtime has no hook for the global executor")
        pthread_setspecific(key, Unmanaged.passUnretained(thread).toOpaque())
        defer { pthread_setspecific(key, nil) }
        return body()
    }
}
