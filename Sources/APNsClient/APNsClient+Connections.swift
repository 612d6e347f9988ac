import EventLoop
import HTTP

/// The pool: who gets which stream, and when a connection is opened.
extension APNsClient {
    /// What became of the request, for a connection's first one: failing that, it is as good as one
    /// that could not be opened.
    func giveBack(_ lease: StreamLease, _ outcome: Result<Response, HTTPError>) {
        let connection = lease.connection
        connection.giveBack()
        if lease.goesFirst {
            switch outcome {
            case .success(let response):
                network.circuits.succeeded(endpoint, timing)
                connection.prove(isAnsweredWell: response.status != 403)
            case .failure(let error):
                if error == .deadlineExceeded { connection.http.retire() }
                if !connection.http.isUsable { failed(error.reason, connection.begunAt) }
                connection.prove(isAnsweredWell: false)
            }
        }
        if !line.isEmpty { serve() }
    }

    /// Gives free streams to those who wait, turns away whose time is over, and opens a connection
    /// if there are too few.
    func serve() {
        connections.removeAll { !$0.http.isUsable }
        let now = ContinuousClock.now
        while let first = line.first {
            if first.due <= now {
                line.popFirst()
                first.end(.failure(.unsent(waitedInVain)))
            } else if let lease = freeStream() {
                line.popFirst()
                begin(first, on: lease)
            } else {
                break
            }
        }
        guard let first = line.first else { return }
        openIfNeeded(longestWait: now - first.since)
        if !line.isEmpty { watchLine() }
    }

    /// Nobody waits any more, and nobody is told anything else.
    func dismissLine(_ reason: NoAnswer) {
        while let errand = line.popFirst() { errand.end(.failure(reason)) }
    }

    var hasProvenConnection: Bool {
        connections.contains { $0.isProven && $0.http.isUsable }
    }

    private var waitedInVain: String {
        connections.isEmpty
            ? "not sent: no connection to \(endpoint.host):\(endpoint.port) in time"
            : HTTPError.unsentInTime.reason
    }

    func freeStream() -> StreamLease? {
        guard let connection = connections.first(where: \.hasRoom) else { return nil }
        return StreamLease(connection: connection, goesFirst: connection.take())
    }

    /// One at a time, and the next only when the last one is in use: its first request goes alone,
    /// and more than that may be free soon.
    private func openIfNeeded(longestWait: Duration) {
        guard !isClosed, opening == nil, connections.count < Limits.connectionsMax else { return }
        if !connections.isEmpty {
            guard connections.allSatisfy(\.isProven),
                longestWait >= .milliseconds(Limits.growAfterMillis)
            else { return }
        }
        switch network.circuits.admission(to: endpoint, timing) {
        case .connect(let pause): opening = Task { await connect(after: pause) }
        case .refused:
            guard connections.isEmpty, let refusal = network.circuits.refusal(of: endpoint) else {
                return
            }
            dismissLine(refusal)
        }
    }

    private func connect(after pause: Duration) async {
        if pause > .zero { try? await Task.sleep(for: pause) }
        let begunAt = ContinuousClock.now
        do throws(HTTPError) {
            guard !isClosed else { return }
            let http = try await HTTP2Connection.connect(
                loop: loop, host: endpoint.host, port: endpoint.port, tls: tls,
                timeout: timing.connectTimeout, proxy: network.proxy, ping: timing.ping,
                onChange: { [weak self] in
                    // In a turn of its own, after the session is done with what it received.
                    Task { await self?.serve() }
                })
            guard !isClosed else { return await http.close() }
            connections.append(PooledConnection(http, begunAt: begunAt))
            opening = nil
        } catch {
            opening = nil
            let reason =
                error == .deadlineExceeded
                ? "cannot connect: \(endpoint.host):\(endpoint.port): no answer in time"
                : error.reason
            failed(reason, begunAt)
            connections.removeAll { !$0.http.isUsable }
            if connections.isEmpty { dismissLine(.unsent(reason)) }
        }
        serve()
    }

    private func failed(_ reason: String, _ begunAt: ContinuousClock.Instant) {
        network.circuits.failed(
            endpoint, timing, begunAt: begunAt, jitter: jitter(), reason: reason)
    }

    /// As long as somebody waits: for deadlines, and for a limit that stays low.
    private func watchLine() {
        guard lineTimer == nil else { return }
        lineTimer = loop.schedule(after: .milliseconds(Limits.lineTickMillis)) {
            self.lineTimer = nil
            self.serve()
        }
    }
}
