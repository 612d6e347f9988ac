import CUV
import Glibc

/// One thread that runs a libuv loop and, between the loop's events, Swift jobs.
///
/// It carries tasks: `Task.immediateDetached(executorPreference: loop)` called on the loop starts
/// without a hop. Actors live on it with `asUnownedSerialExecutor()`.
// @unchecked: `inbox` is a Lock; everything else is set in `init` or touched on the loop's thread.
public final class EventLoop: TaskExecutor, @unchecked Sendable {
    struct Inbox {
        var work: [LoopWork] = []
        var isWakeSent = false
        var isStopped = false
        var stopWaiters: [CheckedContinuation<Void, Never>] = []
    }

    public let name: String
    let uv: UnsafeMutablePointer<uv_loop_t>
    let readBuffer: UnsafeMutableRawBufferPointer
    let inbox = Lock(Inbox())
    private let wakeHandle: UnsafeMutablePointer<uv_async_t>
    private let prepareHandle: UnsafeMutablePointer<uv_prepare_t>
    private let checkHandle: UnsafeMutablePointer<uv_check_t>

    // On the loop's thread only.
    var resources: [ObjectIdentifier: any LoopResource] = [:]
    var unflushed: [Socket] = []
    /// Made by a timer, without a delay.
    var unstartedTimers: [LoopTimer] = []
    /// A timer is at work.
    var isFiring = false
    /// Counts how often the kernel was asked for events. Timers fire before it is asked, and see
    /// the count of the iteration before.
    package private(set) var iteration: UInt64 = 0
    private var batch: [LoopWork] = []
    private var isClosing = false
    private let isolation = LoopIsolation()

    /// Starts the thread.
    public init(name: String) {
        _ = Self.ignoreBrokenPipes
        self.name = name
        uv = allocateForLibuv(uv_loop_t.self)
        wakeHandle = allocateForLibuv(uv_async_t.self)
        prepareHandle = allocateForLibuv(uv_prepare_t.self)
        checkHandle = allocateForLibuv(uv_check_t.self)
        readBuffer = .allocate(byteCount: Limits.readBufferBytes, alignment: 16)
        precondition(uv_loop_init(uv) == 0, "uv_loop_init failed")
        let me = Unmanaged.passUnretained(self).toOpaque()
        precondition(uv_async_init(uv, wakeHandle, { _ in }) == 0, "uv_async_init failed")
        uv_prepare_init(uv, prepareHandle)
        uv_check_init(uv, checkHandle)
        prepareHandle.pointee.data = me
        checkHandle.pointee.data = me
        isolation.loop = self
        // Before the loop blocks and after it woke: whatever a callback enqueued runs in one of
        // the two, so that work handed over on the loop's own thread never needs a wake-up.
        uv_prepare_start(prepareHandle) {
            guard let loop = owner(EventLoop.self, $0?.pointee.data) else { return }
            // First, so that they come before those that the pending work schedules.
            loop.startTimers()
            loop.runPending()
            loop.iteration &+= 1
        }
        uv_check_start(checkHandle) { owner(EventLoop.self, $0?.pointee.data)?.runPending() }
        let code = OwnThread.start(name) { self.threadMain() }
        precondition(code == 0, "pthread_create failed with \(code)")
    }

    deinit {
        readBuffer.deallocate()
        for memory: UnsafeMutableRawPointer in [
            .init(uv), .init(wakeHandle), .init(prepareHandle), .init(checkHandle),
        ] {
            free(memory)
        }
    }

    /// True on the loop's own thread.
    public var isCurrent: Bool {
        pthread_getspecific(Self.currentKey) == Unmanaged.passUnretained(self).toOpaque()
    }

    /// Runs `work` on the loop, in the order of the calls. From any thread. Never runs it at once,
    /// not even on the loop itself. Dropped when the loop has been shut down.
    public func run(_ work: @escaping @Sendable () -> Void) {
        accept(.closure(work))
    }

    /// Runs `work` on the loop: at once if this is its thread, otherwise as `run` does.
    public func runAtOnce(_ work: @escaping @Sendable () -> Void) {
        if isCurrent { work() } else { run(work) }
    }

    /// Runs `work` on the loop and returns what it returns or throws.
    public func submit<R: Sendable, E: Error>(
        _ work: @escaping @Sendable () throws(E) -> R
    ) async throws(E) -> R {
        let result: Result<R, E> = await withUnsafeContinuation { continuation in
            run {
                do throws(E) {
                    continuation.resume(returning: .success(try work()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }

    /// Waits for the answer to what `begin` does on the loop, at once if this is its thread. Once
    /// the caller is cancelled `onCancel` runs there behind `begin`, and maybe before it too.
    /// - Parameter cancelled: the answer to a caller that is cancelled before anything has begun.
    public func answer<Answer: Sendable>(
        orIfCancelled cancelled: Answer,
        _ begin: @escaping @Sendable (CheckedContinuation<Answer, Never>) -> Void,
        onCancel: @escaping @Sendable () -> Void
    ) async -> Answer {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // Here and not before: at every `await` the caller may be cancelled.
                if Task.isCancelled { return continuation.resume(returning: cancelled) }
                runAtOnce { begin(continuation) }
                // Another thread may have cancelled it since, and have overtaken `begin`.
                if Task.isCancelled { run(onCancel) }
            }
        } onCancel: {
            run(onCancel)
        }
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        accept(.job(UnownedJob(job)))
    }

    /// What actors that live on this loop have as their executor. They keep the loop alive.
    public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: isolation)
    }

    public func checkIsolated() {
        precondition(isCurrent, "not on the thread of event loop \(name)")
    }

    /// Closes everything the loop owns, runs the work already handed over, and ends the thread.
    /// Not to be called on the loop itself. Jobs that arrive later are dropped, so stop what uses
    /// the loop first.
    @concurrent public func shutdown() async {
        precondition(!isCurrent, "event loop \(name) cannot wait for its own end")
        await withCheckedContinuation { continuation in
            let isStopped = inbox.withLock { inbox in
                guard !inbox.isStopped else { return true }
                inbox.stopWaiters.append(continuation)
                uv_async_send(wakeHandle)
                return false
            }
            if isStopped { continuation.resume() }
        }
    }
}

// MARK: - The thread

extension EventLoop {
    private static let currentKey: pthread_key_t = {
        var key = pthread_key_t()
        precondition(pthread_key_create(&key, nil) == 0, "pthread_key_create failed")
        return key
    }()

    /// A write to a socket whose peer is gone must be an error, not the end of the process.
    private static let ignoreBrokenPipes: Void = { signal(SIGPIPE, SIG_IGN) }()

    private func threadMain() {
        pthread_setspecific(Self.currentKey, Unmanaged.passUnretained(self).toOpaque())
        uv_run(uv, UV_RUN_DEFAULT)
        finish()
    }

    func accept(_ work: LoopWork) {
        let isRemote = !isCurrent
        inbox.withLock { inbox in
            guard !inbox.isStopped else { return }
            inbox.work.append(work)
            guard isRemote, !inbox.isWakeSent else { return }
            inbox.isWakeSent = true
            // Inside the lock, because the handle lives only until `isStopped` is set.
            uv_async_send(wakeHandle)
        }
    }

    /// Runs what has been handed over until nothing is left, then sends what that produced.
    private func runPending() {
        let began = uv_hrtime()
        repeat {
            let mustStop = takeBatch()
            if batch.isEmpty && unflushed.isEmpty {
                if mustStop { closeEverything() }
                return
            }
            runBatch()
            flushSockets()
        } while uv_hrtime() - began < Limits.drainNanoseconds
        // Still busy: look at the sockets in between, but without blocking.
        inbox.withLock { inbox in
            inbox.isWakeSent = true
            uv_async_send(wakeHandle)
        }
    }

    private func takeBatch() -> Bool {
        inbox.withLock { inbox in
            swap(&inbox.work, &batch)
            inbox.isWakeSent = false
            return !inbox.stopWaiters.isEmpty
        }
    }

    private func runBatch() {
        var running: [LoopWork] = []
        swap(&running, &batch)
        let serial = asUnownedSerialExecutor()
        let carrier = asUnownedTaskExecutor()
        for work in running {
            switch work {
            case .job(let job): job.runSynchronously(on: carrier)
            case .isolated(let job): job.runSynchronously(isolatedTo: serial, taskExecutor: carrier)
            case .closure(let run): run()
            }
        }
        running.removeAll(keepingCapacity: true)
        if batch.isEmpty { swap(&running, &batch) }
    }

    private func startTimers() {
        for timer in unstartedTimers { timer.start() }
        unstartedTimers.removeAll(keepingCapacity: true)
    }

    private func flushSockets() {
        while !unflushed.isEmpty {
            var sockets: [Socket] = []
            swap(&sockets, &unflushed)
            for socket in sockets { socket.flush() }
        }
    }

    private func closeEverything() {
        guard !isClosing else { return }
        isClosing = true
        for resource in Array(resources.values) { resource.loopWillStop() }
        uv_close(wakeHandle.cast(to: uv_handle_t.self), nil)
        uv_close(prepareHandle.cast(to: uv_handle_t.self), nil)
        uv_close(checkHandle.cast(to: uv_handle_t.self), nil)
    }

    /// After the last handle is closed: the work that came meanwhile, then the end.
    private func finish() {
        var waiters: [CheckedContinuation<Void, Never>] = []
        while true {
            inbox.withLock { inbox in
                swap(&inbox.work, &batch)
                guard batch.isEmpty else { return }
                inbox.isStopped = true
                swap(&inbox.stopWaiters, &waiters)
            }
            if batch.isEmpty { break }
            runBatch()
            // That work may have opened something.
            for resource in Array(resources.values) { resource.loopWillStop() }
            uv_run(uv, UV_RUN_DEFAULT)
        }
        let code = uv_loop_close(uv)
        precondition(code == 0, "event loop \(name) still owns a handle at its end")
        for waiter in waiters { waiter.resume() }
    }
}
