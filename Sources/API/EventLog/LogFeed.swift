import Domain
import EventStore

/// The chunks of a stream of recorded events, each made only when the connection asks for it: a
/// slow reader costs no memory and misses nothing.
actor LogFeed {
    private var cursor: LogCursor
    private let environment: APIEnvironment
    private let hub: ChangeHub
    private let caller: Caller
    private let reservation: ReservedShares.Reservation
    private let messages: ServerSentEvent
    private var isOpen = false
    private var lastChunkAt = ContinuousClock.now

    init(
        _ cursor: LogCursor, environment: APIEnvironment, hub: ChangeHub, caller: Caller,
        reservation: ReservedShares.Reservation
    ) {
        self.cursor = cursor
        self.environment = environment
        messages = ServerSentEvent(log: environment.log)
        self.hub = hub
        self.caller = caller
        self.reservation = reservation
    }

    /// - Returns: nil when the stream ends: the client is gone, the key revoked, the store broken.
    func next() async -> [UInt8]? {
        let chunk = await nextChunk()
        lastChunkAt = .now
        return chunk
    }

    private func nextChunk() async -> [UInt8]? {
        guard isOpen else {
            isOpen = true
            // A reader that loses the connection before the first event comes back to this place.
            // One that asked for the latest would miss what came meanwhile.
            return messages.opening(at: cursor.position)
        }
        while !Task.isCancelled, await caller.isStillGranted() {
            let seen = await hub.count(of: caller.tenant)
            do {
                var ahead = cursor
                let events = try await ahead.read(Limits.eventPageRows)
                cursor = ahead
                if !events.isEmpty { return events.flatMap(messages.recorded) }
            } catch {
                // A reader that left in the middle of a question is no fault of the store.
                guard !Task.isCancelled else { return nil }
                environment.report(error, "reading the log for a stream")
                guard error.isTransient else { return nil }
            }
            let idleSeconds = (ContinuousClock.now - lastChunkAt) / .seconds(1)
            let patience = environment.limits.streamHeartbeatSeconds - idleSeconds
            guard patience > 0 else { return messages.mark(cursor.position) }
            guard cursor.isAtHead else { continue }
            await hub.wait(for: caller.tenant, beyond: seen, atMost: patience)
        }
        return nil
    }
}
