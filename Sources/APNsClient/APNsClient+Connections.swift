import EventLoop
import HTTP

extension APNsClient {
    /// A connection that takes requests, opened if need be. Whoever comes while one is being opened
    /// waits for the same one.
    func usableConnection(
        by due: ContinuousClock.Instant
    ) async -> Result<ProvenConnection, HTTPError> {
        var attempts = 0
        while true {
            if isClosed { return .failure(.goingAway) }
            connections.removeAll { !$0.http.isUsable }
            if let connection = connections.first { return .success(connection) }
            // A connection that was lost between being opened and being used is tried for again.
            guard attempts <= Limits.resendsMax else { return .failure(.goingAway) }
            attempts += 1
            switch await open(by: due) {
            case .success: continue
            case .failure(let error): return .failure(error)
            }
        }
    }

    private func open(by due: ContinuousClock.Instant) async -> Result<Void, HTTPError> {
        if let opening { return await opening.value }
        let delay = backoff.delay(jitter: jitter())
        // No use in waiting for an attempt that comes too late.
        guard ContinuousClock.now + delay < due else { return .failure(.deadlineExceeded) }
        let opening = Task { await connect(after: delay) }
        self.opening = opening
        return await opening.value
    }

    private func connect(after delay: Duration) async -> Result<Void, HTTPError> {
        defer { opening = nil }
        if delay > .zero { try? await Task.sleep(for: delay) }
        do throws(HTTPError) {
            let http = try await HTTP2Connection.connect(
                loop: loop, host: endpoint.host, port: endpoint.port, tls: tls,
                timeout: timing.connectTimeout)
            guard !isClosed else {
                await http.close()
                return .failure(.goingAway)
            }
            connections.append(ProvenConnection(http))
            return .success(())
        } catch {
            backoff.failed()
            return .failure(error)
        }
    }
}
