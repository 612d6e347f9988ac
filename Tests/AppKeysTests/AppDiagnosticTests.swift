import AppKeys
import Domain
import EventLoop
import EventStore
import Terminal
import Testing

struct `What the log says of apps' keys` {
    @Test func `is a warning once when the database is away`() {
        let lines = Lock<[String]>([])
        let log = Log(lowest: .debug, format: .journald) { line in
            lines.withLock { $0.append(line) }
            return true
        }
        for _ in 0..<3 {
            AppDiagnostic.store(.unavailable(detail: "its session ended")).write(to: log)
        }
        let said = lines.withLock { $0 }
        #expect(said.count == 1)
        #expect(said.first?.hasPrefix("<4>apps' keys could not be read why=") == true, "\(said)")
    }

    @Test func `names the remedy for APNs' reason`() {
        let lines = Lock<[String]>([])
        let log = Log(lowest: .debug, format: .journald) { line in
            lines.withLock { $0.append(line) }
            return true
        }
        let app = TenantApp(
            tenant: TenantID(rawValue: 1), bundleID: "com.example", environment: .sandbox)
        let reason = "TopicDisallowed"
        AppDiagnostic.stopped(app, .keyRefused, reason: reason, clockAhead: nil).write(to: log)
        AppDiagnostic.stillStopped(app, .keyRefused, reason: reason).write(to: log)
        let said = lines.withLock { $0 }
        #expect(said.count == 2)
        #expect(said.allSatisfy { $0.contains("check --bundle and --team") }, "\(said)")
    }
}
