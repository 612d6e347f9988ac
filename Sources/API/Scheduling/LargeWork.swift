/// What bounds the large work of each tenant on this node, so that nobody takes all the threads or
/// all the memory. All callers share one.
final class LargeWork: Sendable {
    /// Turns of the bodies that take long to read.
    let bodies = TenantTurns()
    let unpackedBodies = UnpackedBodies()
    /// Turns of the answers that take long to write.
    let answers = TenantTurns(waitingMax: Limits.largeAnswersWaitingMax)
    let ledgers = LargeLedgers()
}
