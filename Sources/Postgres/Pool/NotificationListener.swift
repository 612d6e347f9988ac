import EventLoop

/// Listens to a channel on a connection of its own, and says so when it was away.
public final class NotificationListener: Sendable {
    public enum Signal: Hashable, Sendable {
        case notification(payload: String)
        /// Listening begins, or begins again: anything before may have been missed.
        case listening
        /// The listening connection is gone: nothing is heard until `listening`.
        case away
    }

    /// For one consumer; ends with the pool or `stop()`. When the consumer is too slow the oldest
    /// signals are dropped and `listening` says so.
    public let signals: AsyncStream<Signal>
    private let task: Task<Void, Never>

    /// - Parameter channel: a fixed name of lower-case letters, digits and underscores.
    public init(pool: Pool, channel: String) {
        precondition(
            channel.utf8.allSatisfy(Self.isPlain) && !channel.isEmpty,
            "a channel's name is a plain word")
        let (signals, continuation) = AsyncStream.makeStream(
            of: Signal.self, bufferingPolicy: .bufferingNewest(Limits.notificationsBufferedMax))
        self.signals = signals
        task = Task {
            var backoff = Backoff.reconnecting
            while !Task.isCancelled {
                let outcome = await Self.listen(pool, channel, continuation)
                if case .closed = outcome.reason { break }
                if outcome.hasListened {
                    continuation.yield(.away)
                    backoff.succeeded()
                }
                try? await Task.sleep(for: backoff.next())
            }
            continuation.finish()
        }
    }

    deinit { task.cancel() }

    public func stop() { task.cancel() }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (97...122).contains(byte) || (48...57).contains(byte) || byte == 95
    }

    /// Nothing is sent on a connection that listens, so nothing would show that the server hangs:
    /// its kernel still answers. And a pooler that has begun to share sessions shows itself here.
    private static func pulse(_ connection: Connection) async {
        while !Task.isCancelled {
            try? await Task.sleep(for: .seconds(Limits.heartbeatSeconds))
            do throws(PostgresError) {
                let answer = try await connection.query(
                    "SELECT pg_backend_pid()", timeout: .seconds(Limits.heartbeatTimeoutSeconds)
                ).first?.get(0, as: Int32.self)
                if let answer, answer != connection.backendPID {
                    return await connection.end(.sharedSession)
                }
            } catch {
                // Slow is not dead; a connection that is dead has ended, and its owner knows.
                guard error == .timedOut else { return }
            }
        }
    }

    /// Listens until the connection ends.
    private static func listen(
        _ pool: Pool, _ channel: String, _ signals: AsyncStream<Signal>.Continuation
    ) async -> (hasListened: Bool, reason: PostgresError) {
        do throws(PostgresError) {
            // What nobody reads would keep the server from forgetting it.
            let (connection, ends) = try await pool.openDedicated(hasHeartbeat: true).kept {
                (opened) async throws(PostgresError) -> (Connection, AsyncStream<PostgresError>) in
                let (ends, end) = AsyncStream.makeStream(of: PostgresError.self)
                await opened.onClose {
                    end.yield($0)
                    end.finish()
                }
                await opened.onNotification {
                    if case .dropped = signals.yield(.notification(payload: $0)) {
                        signals.yield(.listening)
                    }
                }
                try await opened.script("LISTEN \(channel)")
                return (opened, ends)
            }
            signals.yield(.listening)
            let pulse = Task { await Self.pulse(connection) }
            defer { pulse.cancel() }
            for await reason in ends { return (true, reason) }
            // Only a cancelled task leaves the loop without a reason.
            await connection.close()
            return (true, .closed)
        } catch {
            return (false, error)
        }
    }
}
