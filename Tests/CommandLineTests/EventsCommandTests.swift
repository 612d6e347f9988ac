@testable import Archive
import Domain
import Terminal
import Testing

@testable import islet

struct `The events commands` {
    @Test func `refuse what they cannot use with exit code 2`() async {
        for words in [
            ["events"], ["events", "export"], ["events", "import", "--tenant", "a"],
            ["events", "import", "--from", "somewhere"],
            ["events", "export", "--to", "x", "--until", "yesterday"],
            ["events", "export", "--to", "x", "--until", "2026-05-01T12:00:00"],
            ["events", "export", "--to", "x", "--after", "-1"],
            ["events", "import", "--from", "x", "--tenant", "two\nlines"],
            ["events", "export", "--to", "x", "--redact", "--redact-key-file", "y"],
        ] {
            #expect(await Islet.run(words, environment: [:]) == 2, "\(words)")
        }
    }

    @Test func `take a position or a time as the end`() throws {
        #expect(try ExportEnd.parse(nil) == nil)
        #expect(try ExportEnd.parse("17") == .position(17))
        #expect(
            try ExportEnd.parse("1970-01-01T01:00:01+01:00")
                == .moment(Moment(unixSeconds: 1)))
    }

    @Test(arguments: [(0, 0, 0), (5, 10, 50), (10, 10, 100), (20, 10, 100), (-3, 10, 0)])
    func `draw a bar of constant width`(done: Int64, total: Int64, percent: Int) {
        let line = ProgressBar.line("exporting", done: done, of: total)
        #expect(line.contains("  \(percent) %  "))
        #expect(line.filter { $0 == "#" || $0 == "." }.count == 30)
        #expect(line.filter { $0 == "#" }.count == percent * 30 / 100)
    }
}

struct `A private Postgres' cache` {
    @Test(
        arguments: [
            (1, 128), (2_000_000_000, 476), (16 << 30, 4_096), (1 << 50, 8_192),
        ] as [(UInt64, UInt64)])
    func `is a quarter of the memory within bounds`(memory: UInt64, megabytes: UInt64) {
        #expect(PrivateServerSettings.cacheMegabytes(memoryBytes: memory) == megabytes)
    }
}
