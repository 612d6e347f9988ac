import Domain
import EventStore
import Foundation

/// The chunks of one Server-Sent Events response, made only when the connection asks for the next.
///
/// A slow reader therefore costs no memory: it is given the newest states when it comes back, and
/// changes it was too slow for are skipped.
actor ChangeFeed {
    private enum Stage {
        case opening, catchingUp, live
    }

    private let store: EventStore
    private let environment: APIEnvironment
    private let hub: NewsHub
    private let caller: Caller
    private var position: Int64
    private var stage = Stage.opening
    private var lastChunkAt = ContinuousClock.now

    init(
        store: EventStore, environment: APIEnvironment, hub: NewsHub, caller: Caller,
        after position: Int64
    ) {
        self.store = store
        self.environment = environment
        self.hub = hub
        self.caller = caller
        self.position = position
    }

    /// - Returns: nil when the stream ends: the client is gone, the key revoked, the store broken.
    func next() async -> [UInt8]? {
        let chunk = await nextChunk()
        lastChunkAt = .now
        return chunk
    }

    private func nextChunk() async -> [UInt8]? {
        if stage == .opening {
            stage = .catchingUp
            return ServerSentEvent.opening
        }
        while !Task.isCancelled, await caller.isStillGranted() {
            let seen = await hub.count(of: caller.tenant)
            do {
                if let chunk = try await changes() { return chunk }
            } catch {
                // A reader that left in the middle of a question is no fault of the store.
                guard !Task.isCancelled else { return nil }
                environment.report(error, "reading changes for a stream")
                guard error.isTransient else { return nil }
            }
            let silence = Double((ContinuousClock.now - lastChunkAt).components.seconds)
            let patience = environment.limits.streamHeartbeatSeconds - silence
            guard patience > 0 else { return ServerSentEvent.heartbeat }
            await hub.wait(
                for: caller.tenant, beyond: seen,
                atMost: min(patience, environment.limits.streamPollSeconds))
        }
        return nil
    }

    /// What changed since the last call; nil when nothing did.
    private func changes() async throws(EventStoreError) -> [UInt8]? {
        let page = try await store.projections.changed(
            caller.tenant, position, Limits.streamPageRows)
        guard let last = page.last else {
            guard stage != .live else { return nil }
            stage = .live
            return ServerSentEvent.ready(at: position, now: environment.now())
        }
        var chunk: [UInt8] = []
        for snapshot in page {
            let row = try await store.projections.decisions(
                caller.tenant, snapshot.activityID, snapshot.version - 1, 1
            ).first
            chunk += ServerSentEvent.activity(snapshot, decision: row)
        }
        position = last.position
        return chunk
    }
}
