/// One thing for the loop to run: a job of the Swift runtime or a plain closure.
enum LoopWork {
    case job(UnownedJob)
    case closure(@Sendable () -> Void)
}
