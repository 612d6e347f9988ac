enum LoopWork {
    case job(UnownedJob)
    case closure(@Sendable () -> Void)
}
