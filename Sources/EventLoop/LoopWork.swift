enum LoopWork {
    /// Of a task that the loop carries, in no actor.
    case job(UnownedJob)
    /// Of an actor that lives on the loop.
    case isolated(UnownedJob)
    case closure(@Sendable () -> Void)
}

/// The executor of the actors on a loop. It is not the loop itself, because Swift has to know which
/// jobs are an actor's: one that it takes for an actor's goes through the loop's queue once more at
/// each `return` of an asynchronous function that belongs to no actor.
// @unchecked: `loop` is set once, before anybody has this.
final class LoopIsolation: SerialExecutor, @unchecked Sendable {
    unowned(unsafe) var loop: EventLoop?

    func enqueue(_ job: consuming ExecutorJob) { loop?.accept(.isolated(UnownedJob(job))) }
    func checkIsolated() { loop?.checkIsolated() }
    func isIsolatingCurrentContext() -> Bool? { loop?.isCurrent }
}
