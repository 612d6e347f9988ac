import EventLoop

/// The time that a client has for what waits to be taken by it: `writeTimeoutSeconds` for each
/// `unsentBytesMax` that its system takes. So a slow client can read a long answer, and one that
/// hardly reads cannot keep it.
struct TakingTime {
    /// On the loop's clock; nil while nothing waits.
    private var endMillis: UInt64?

    /// Called every `Limits.sweepMillis`.
    /// - Parameter isWaiting: there is something that the kernel has no room for.
    mutating func isOver(
        on socket: Socket, isWaiting: Bool, _ limits: ServerLimits, nowMillis: UInt64
    ) -> Bool {
        guard isWaiting else {
            endMillis = nil
            return false
        }
        let wait = limits.writeTimeoutSeconds * 1_000
        // At first with all that the client has taken before: its system may read on from that.
        let earned = wait * Double(socket.countTaken()) / Double(limits.unsentBytesMax)
        let end = endMillis ?? nowMillis + UInt64(wait)
        let saved = min(
            end + UInt64(earned.rounded(.up)), nowMillis + UInt64(wait * Limits.savedWaitsMax))
        endMillis = saved
        return saved <= nowMillis
    }
}
