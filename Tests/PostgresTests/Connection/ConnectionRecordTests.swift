import EventLoop
import TestSupport
import Testing

@testable import Postgres

struct `The record of connections` {
    private let diagnostics = Lock<[ConnectionRecord.Diagnostic]>([])

    private func record() -> ConnectionRecord {
        ConnectionRecord { [diagnostics] diagnostic in
            diagnostics.withLock { $0.append(diagnostic) }
        }
    }

    @Test func `says once that a server is reached, and once that it is lost`() {
        let record = record()
        record.noteReached("a:5432")
        record.noteReached("a:5432")
        record.noteLost("a:5432", "reset")
        record.noteLost("a:5432", "refused")
        record.noteReached("a:5432")
        #expect(
            diagnostics.value == [
                .reached(server: "a:5432", before: nil),
                .lost(server: "a:5432", detail: "reset"),
                .reached(server: "a:5432", before: "a:5432"),
            ])
        #expect(record.current.reconnects == 1 && record.current.serverChanges == 0)
        #expect(!record.current.isLost)
    }

    @Test func `says that it is another server, after a loss or without one`() {
        let record = record()
        record.noteReached("a:5432")
        record.noteReached("b:5432")
        #expect(record.current.reconnects == 0 && record.current.serverChanges == 1)
        record.noteLost("b:5432", "reset")
        #expect(record.current.isLost)
        record.noteReached("a:5432")
        #expect(record.current.reconnects == 1 && record.current.serverChanges == 2)
        #expect(record.current.server == "a:5432")
        #expect(diagnostics.value.last == .reached(server: "a:5432", before: "b:5432"))
    }

    /// A caller that connects hears why it fails; there is nothing to reconnect to.
    @Test func `does not call a server lost that was never reached`() {
        let record = record()
        record.noteLost(nil, "no such host")
        #expect(diagnostics.value.isEmpty && record.current.server == nil)
        record.noteReached("a:5432")
        #expect(record.current.reconnects == 0)
        #expect(diagnostics.value == [.reached(server: "a:5432", before: nil)])
    }

    /// As where another program has taken the connections: some get in, and others do not.
    @Test func `does not call a server lost that answers and lets nobody else in`() {
        let record = record()
        let full = ServerError(sqlState: "53300", message: "too many clients already")
        record.noteFailure(.notAdmitted(full))
        #expect(diagnostics.value.isEmpty, "the caller hears it, as nothing was reached before")
        record.noteReached("a:5432")
        record.noteFailure(.notAdmitted(full))
        record.noteReached("a:5432")
        record.noteFailure(.notAdmitted(full))
        #expect(record.current.reconnects == 0 && !record.current.isLost)
        record.noteFailure(.cannotConnect(detail: "refused"))
        record.noteFailure(.notAdmitted(ServerError(sqlState: "57P03", message: "starting up")))
        record.noteReached("a:5432")
        #expect(
            diagnostics.value == [
                .reached(server: "a:5432", before: nil), .refused(full), .refused(full),
                .lost(server: nil, detail: "refused"),
                .reached(server: "a:5432", before: "a:5432"),
            ])
        #expect(record.current.reconnects == 1)
    }

    private let servers = ["a", "b", "c"].map { ServerAddress(host: $0, address: nil, port: nil) }

    private func order(_ record: ConnectionRecord) -> String {
        record.order(servers).map { $0.host ?? "" }.joined()
    }

    @Test func `has the servers in the order of the string until one is known`() {
        #expect(order(record()) == "abc")
        #expect(record().order([]).isEmpty)
    }

    @Test func `has the one that was reached first, and those that are silent last`() {
        let record = record()
        record.noteReached("b:5432")
        #expect(order(record) == "bac")
        record.noteUnreachable("a:5432")
        #expect(order(record) == "bca")
        record.noteSilence(of: "b:5432")
        #expect(order(record) == "cab")
        record.noteUnreachable("c:5432")
        #expect(order(record) == "abc")
        // It answers again.
        record.noteReached("c:5432")
        #expect(order(record) == "cab")
    }

    @Test func `informs all that asked of a server that is silent, and counts it`() {
        let record = record()
        let told = Lock<[String]>([])
        for name in ["one", "two"] {
            record.onSilence { server in told.withLock { $0.append("\(name) \(server)") } }
        }
        record.noteUnreachable("a:5432")
        #expect(told.value.isEmpty)
        record.noteSilence(of: "a:5432")
        #expect(told.value == ["one a:5432", "two a:5432"])
        #expect(record.current.connectionsSilent == 1)
    }

    @Test func `wants to be shown again that sessions are not shared, after a loss`() {
        let record = record()
        #expect(record.mustProveSessions)
        record.noteReached("a:5432")
        #expect(record.mustProveSessions)
        record.noteSessionsProven()
        #expect(!record.mustProveSessions)
        record.noteLost("a:5432", "reset")
        #expect(record.mustProveSessions)
    }

    @Test func `counts connections by pool, timeouts and commits without standbys`() {
        let record = record()
        record.note(3, openIn: "main")
        record.note(1, openIn: "visitors")
        record.note(2, openIn: "main")
        record.noteFailure(openingIn: "visitors")
        record.noteFailure(openingIn: "visitors")
        record.noteTimeout()
        record.noteNotReplicated()
        record.noteNotReplicated()
        #expect(record.current.connectionsOpen == ["main": 2, "visitors": 1])
        #expect(record.current.connectsFailed == ["visitors": 2])
        #expect(record.current.callsTimedOut == 1 && record.current.commitsNotReplicated == 2)
    }
}

struct `The heartbeat of a session` {
    @Test func `is fresh from the first answer on, for some seconds`() {
        let heartbeat = SessionHeartbeat()
        #expect(!heartbeat.isFresh)
        heartbeat.heard(.now - .seconds(20))
        #expect(!heartbeat.isFresh)
        heartbeat.heard(.now)
        #expect(heartbeat.isFresh)
        // An answer to an earlier question comes later.
        heartbeat.heard(.now - .seconds(20))
        #expect(heartbeat.isFresh)
    }

    @Test func `is over for good once the session has ended`() {
        let heartbeat = SessionHeartbeat()
        heartbeat.heard(.now)
        heartbeat.end()
        #expect(!heartbeat.isFresh)
        heartbeat.heard(.now)
        #expect(!heartbeat.isFresh)
    }

    /// What a process takes for its own must be given up before the server gives it away.
    @Test func `is doubted before the server ends it`() {
        let beats = Double(Limits.beatMillis) / 1000
        #expect(Double(Limits.heardSecondsMax) + beats < Double(Limits.silentSessionSecondsMax))
    }
}
