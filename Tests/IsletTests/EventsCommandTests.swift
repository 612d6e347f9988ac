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
            ["events", "export", "--to", "x", "--since", "yesterday"],
            ["events", "export", "--to", "x", "--since", "3", "--after", "2"],
            ["events", "import", "--from", "x", "--tenant", "two\nlines"],
            ["events", "export", "--to", "x", "--redact", "--redact-key-file", "y"],
        ] {
            #expect(await Islet.run(words, environment: [:]) == 2, "\(words)")
        }
    }

    @Test func `export nothing from a place to its end without complaint`() throws {
        try ExportEnd.refuse(.position(5), before: .number(6), by: "--after")
        try ExportEnd.refuse(.position(5), before: .number(5), by: "--since")
        try ExportEnd.refuse(.moment(Moment(unixSeconds: 1)), before: .number(5), by: "--since")
        try ExportEnd.refuse(nil, before: .number(5), by: "--since")
    }

    @Test func `take a position or a time as the end`() throws {
        #expect(try ExportEnd.parse(nil) == nil)
        #expect(try ExportEnd.parse("17") == .position(17))
        #expect(
            try ExportEnd.parse("1970-01-01T01:00:01+01:00")
                == .moment(Moment(unixSeconds: 1)))
    }
}
