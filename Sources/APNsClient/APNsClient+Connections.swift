import APNs
import EventLoop
import HTTP

extension APNsClient {
    /// The outcome counts for a connection's first request. If that fails, the connection is as
    /// good as one that could not be opened.
    ///
    /// A connection may also fall silent later. What answers its PINGs may be a proxy or a peer
    /// whose streams stand still, and only that no request is answered shows it. What is under way
    /// there may finish; the next request opens another connection.
    /// - Parameter time: what the request had for its answer.
    func giveBack(
        _ slot: StreamSlot, _ outcome: Result<Response, HTTPError>, within time: Duration
    ) {
        let connection = slot.connection
        connection.giveBack(isAnswered: !outcome.isLate)
        // One that had spent most of its time in the queue says nothing about the connection.
        if outcome.isLate, connection.answers == slot.answersBefore,
            time >= timing.pushDeadline / 2
        {
            connection.http.retire()
        }
        if slot.goesFirst {
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
        if !queue.isEmpty { drainQueue() }
    }

    /// Gives free streams to those who wait, turns away whose time is over, and opens a connection
    /// if there are too few.
    func drainQueue() {
        connections.removeAll { !$0.http.isUsable }
        let now = ContinuousClock.now
        for batchSize in RequestQueue.BatchSize.allCases {
            drainQueue(batchSize, now)
            guard let first = queue[batchSize].first else { continue }
            if batchSize == .many && connections.count == 1 {
                openIfNeeded(waited: nil)
            } else if room(for: batchSize) == nil {
                openIfNeeded(waited: now - first.since)
            }
        }
        if !queue.isEmpty { watchQueue() }
    }

    private func drainQueue(_ batchSize: RequestQueue.BatchSize, _ now: ContinuousClock.Instant) {
        while let first = queue[batchSize].first {
            if first.deadline <= now {
                queue[batchSize].popFirst()
                first.end(.unsent(waitedInVain))
                giveUpUnproven()
            } else if let slot = freeStream(for: batchSize) {
                queue[batchSize].popFirst()
                begin(first, on: slot)
            } else {
                return
            }
        }
    }

    /// All who wait get this result, and the queue is empty then.
    func dismissQueue(_ result: PushResult) {
        for batchSize in RequestQueue.BatchSize.allCases {
            while let pending = queue[batchSize].popFirst() { pending.end(result) }
        }
    }

    /// One that has had no stream for anybody is as good as one that could not be opened. If it
    /// stayed, no other would be opened: that waits until this one is proven.
    private func giveUpUnproven() {
        guard !hasProvenConnection else { return }
        for connection in connections where connection.streamsInUse == 0 {
            connection.http.retire()
            failed(HTTPError.unsentInTime.reason, connection.begunAt)
        }
    }

    var hasProvenConnection: Bool {
        connections.contains { $0.isProven && $0.http.isUsable }
    }

    private var waitedInVain: String {
        connections.isEmpty
            ? "not sent: no connection to \(endpoint.host):\(endpoint.port) in time"
            : HTTPError.unsentInTime.reason
    }

    func freeStream(for batchSize: RequestQueue.BatchSize) -> StreamSlot? {
        while let connection = room(for: batchSize) {
            // What waited must not take a token that has grown old meanwhile: minted only now.
            let time = now()
            let token = mint.token(at: time)
            guard !connection.isOver(after: timing.replaceDelay),
                connection.show(token, at: time)
            else {
                connection.http.retire()
                continue
            }
            guard batchSize == .few || mayBeginOneOfMany() else { return nil }
            if batchSize == .many { manyLeft -= 1 }
            return StreamSlot(
                connection: connection, token: token, goesFirst: connection.take(),
                answersBefore: connection.answers)
        }
        return nil
    }

    /// What is sent on a connection waits behind what is under way there, wherever it is stopped.
    /// So the few take the one with the least, and the many leave them the first to themselves as
    /// soon as another one has proven that it can carry them.
    private func room(for batchSize: RequestQueue.BatchSize) -> PooledConnection? {
        switch batchSize {
        case .few:
            return connections.lazy.filter(\.hasRoom).min { $0.streamsInUse < $1.streamsInUse }
        case .many:
            let others = connections.dropFirst()
            let mayTakeFirst = !others.contains(where: \.isProven)
            return others.first(where: \.hasRoom)
                ?? (mayTakeFirst ? connections.first(where: \.hasRoom) : nil)
        }
    }

    /// The rest of them in the next iterations, between which the loop does what else there is to
    /// do.
    private func mayBeginOneOfMany() -> Bool {
        guard manyLeft == Limits.manyPerIteration else { return manyLeft > 0 }
        loop.schedule(after: .zero) {
            self.assumeIsolated { client in
                client.manyLeft = Limits.manyPerIteration
                if !client.queue.isEmpty { client.drainQueue() }
            }
        }
        return true
    }

    /// One at a time, and the next only when the last one is in use: its first request goes alone,
    /// and more than that may be free soon.
    /// - Parameter waited: by the one who waits longest; nil when it is not worth waiting.
    private func openIfNeeded(waited: Duration?) {
        guard !isClosed, opening == nil, connections.count < Limits.connectionsMax else { return }
        if !connections.isEmpty {
            guard connections.allSatisfy(\.isProven),
                waited.map({ $0 >= .milliseconds(Limits.growAfterMillis) }) ?? true
            else { return }
        }
        switch network.circuits.permit(to: endpoint, timing) {
        case .connect(let pause): opening = Task { await connect(after: pause) }
        case .refused:
            guard connections.isEmpty, let refusal = network.circuits.refusal(of: endpoint) else {
                return
            }
            dismissQueue(refusal)
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
                    // In an iteration of its own, after the session is done with what it received.
                    Task { await self?.drainQueue() }
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
            if connections.isEmpty { dismissQueue(.unsent(reason)) }
        }
        drainQueue()
    }

    private func failed(_ reason: String, _ begunAt: ContinuousClock.Instant) {
        network.circuits.failed(
            endpoint, timing, begunAt: begunAt, jitter: jitter(), reason: reason)
    }

    /// As long as somebody waits: for deadlines, and for a limit that stays low.
    private func watchQueue() {
        guard queueTimer == nil else { return }
        queueTimer = loop.schedule(after: .milliseconds(Limits.queueTickMillis)) {
            self.queueTimer = nil
            self.drainQueue()
        }
    }
}

extension Result<Response, HTTPError> {
    fileprivate var isLate: Bool {
        switch self {
        case .failure(.deadlineExceeded), .failure(.unsentInTime): true
        case .success, .failure: false
        }
    }
}
