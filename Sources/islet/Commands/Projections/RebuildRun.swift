import Domain
import EventStore
import Pipeline
import Projections
import Terminal

/// Works on a tenant's rebuild in this process, or watches another one do it.
struct RebuildRun: Sendable {
    let store: EventStore
    let tenant: Tenant
    let bar: ProgressBar

    enum Ending {
        case rebuilt
        /// A newer program's, by its folds of these kinds.
        case isNewer(RebuildProgress, kinds: [String])
        /// By somebody else, like `paused`.
        case cancelled
        case paused(RebuildProgress)
        /// Paused since this task was cancelled.
        case interrupted(RebuildProgress)
    }

    func finish() async throws(EventStoreError) -> Ending {
        do throws(EventStoreError) {
            if let ending = try await goOn() { return ending }
        } catch {
            // Whatever call Ctrl-C finds under way fails by it.
            guard Task.isCancelled else { throw error }
        }
        return try await interrupted()
    }

    /// - Returns: nil when this task was cancelled.
    private func goOn() async throws(EventStoreError) -> Ending? {
        while let progress = try await progress() {
            let kinds = progress.newerKinds(than: ActivityCatalog.standard.foldVersions)
            if !kinds.isEmpty { return .isNewer(progress, kinds: kinds) }
            if progress.isPaused { return .paused(progress) }
            bar.show("rebuilding \(tenant.name)", done: progress.position, of: progress.target)
            if let session = try await store.rebuilds.take(
                tenant.id, ActivityCatalog.standard.foldVersions)
            {
                let target = session.progress.target
                let rebuilder = Rebuilder(store: store) { _ in }
                let end = try await rebuilder.work(session) { position in
                    bar.show("rebuilding \(tenant.name)", done: position, of: target)
                }
                if end == .cancelled { return .cancelled }
            } else {
                // A server works on it.
                try? await Task.sleep(for: .milliseconds(200))
            }
            if Task.isCancelled { return nil }
        }
        return .rebuilt
    }

    /// In a task of its own: this one is cancelled, and so would be its calls.
    private func interrupted() async throws(EventStoreError) -> Ending {
        let result = await Task {
            await Result { () async throws(EventStoreError) -> Ending in
                _ = try await store.rebuilds.setPaused(tenant.id, true)
                return try await progress().map { .interrupted($0) } ?? .rebuilt
            }
        }.value
        return try result.get()
    }

    private func progress() async throws(EventStoreError) -> RebuildProgress? {
        try await store.rebuilds.list().first { $0.tenant.id == tenant.id }
    }
}
