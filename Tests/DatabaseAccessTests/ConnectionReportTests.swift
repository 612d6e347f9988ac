import EventLoop
import Terminal
import Testing

@testable import DatabaseAccess
@testable import Postgres

struct `What the log says of connections` {
    private func line(_ diagnostic: ConnectionRecord.Diagnostic) -> String {
        let lines = Lock<[String]>([])
        diagnostic.write(
            to: Log(lowest: .debug, format: .journald) { line in
                lines.withLock { $0.append(line) }
                return true
            })
        return lines.withLock { $0 }.joined(separator: "\n")
    }

    @Test func `warns when one is lost, with the server if it is known`() {
        #expect(
            line(.lost(server: "h:5432", detail: "reset"))
                == "<4>a connection to Postgres is lost server=h:5432 why=reset")
        #expect(
            line(.lost(server: nil, detail: "reset"))
                == "<4>a connection to Postgres is lost why=reset")
    }

    @Test func `is one line for many connections that Postgres refuses for the same reason`() {
        let lines = Lock<[String]>([])
        let log = Log(lowest: .debug, format: .journald) { line in
            lines.withLock { $0.append(line) }
            return true
        }
        for state in ["53300", "53300", "28000", "53300"] {
            ConnectionRecord.Diagnostic.refused(ServerError(sqlState: state, message: "no"))
                .write(to: log)
        }
        #expect(
            lines.withLock { $0 } == [
                "<4>Postgres refuses another connection state=53300 why=no",
                "<4>Postgres refuses another connection state=28000 why=no",
            ])
    }

    @Test func `is one line for a private server that cannot be started, whatever its words are`() {
        let lines = Lock<[String]>([])
        let log = Log(lowest: .debug, format: .journald) { line in
            lines.withLock { $0.append(line) }
            return true
        }
        for second in 0..<9 {
            log.cannotRevive(
                .privateServer(detail: "03:00:0\(second) FATAL: no space"),
                DataDirectory(path: "/srv/islet"))
        }
        #expect(
            lines.withLock { $0 } == [
                "<3>the private Postgres is dead and cannot be started "
                    + "why=\"03:00:00 FATAL: no space\""
            ])
    }

    @Test func `is an error where several hosts take writes, and says which is the newest`() {
        let servers = [("i:5432", 4), ("h:5432", 3)].map { name, timeline in
            WritableServer(name: name, cluster: "7", timeline: Int64(timeline), startedAt: name)
        }
        let line = line(.severalWritable(servers))
        #expect(
            line.hasPrefix("<3>several hosts of the database take writes, and one of them should"))
        #expect(line.contains(#"newest="i:5432 on timeline 4""#), "\(line)")
        #expect(line.contains(#"others="h:5432 on timeline 3""#), "\(line)")
        #expect(line.contains("pg_rewind"))
    }

    @Test func `warns of another server, and not of the same`() {
        #expect(
            line(.reached(server: "h:5432", before: nil))
                == "<6>Postgres is reached server=h:5432")
        #expect(
            line(.reached(server: "h:5432", before: "h:5432"))
                == "<6>Postgres is reached again server=h:5432")
        #expect(
            line(.reached(server: "i:5432", before: "h:5432"))
                == "<4>Postgres is reached on another server before=h:5432 server=i:5432")
    }
}
