import AppKeys
import EventLoop
import EventStore
import Terminal
import Testing

struct `What the log says of apps' keys` {
    @Test func `is a warning once when the database is away`() {
        let lines = Lock<[String]>([])
        let log = Log(lowest: .debug, format: .journald) { line in
            lines.withLock { $0.append(line) }
        }
        for _ in 0..<3 { AppNotice.store(.unavailable(detail: "its session ended")).write(to: log) }
        let said = lines.withLock { $0 }
        #expect(said.count == 1)
        #expect(said.first?.hasPrefix("<4>apps' keys could not be read why=") == true, "\(said)")
    }
}
