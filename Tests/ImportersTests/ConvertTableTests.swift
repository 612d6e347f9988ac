import Domain
import Foundation
import JSON
import Projections
import Terminal
import Testing

@testable import Importers
@testable import islet

struct `Converting tables` {
    private let mapping = #"""
        {"subject": "order", "source": "/till", "events": [
            {"type": "PizzaDelivery.OrderAccepted", "time": "accepted"},
            {"type": "PizzaDelivery.DriverLocated", "time": "seen",
             "data": {"distanceMeters": "metres"}}]}
        """#

    private func events(_ csv: String) throws -> [ConvertedEvent] {
        try CSVMapping(Data(mapping.utf8)).converted(Data(csv.utf8)).events
    }

    /// What a conversion is refused for.
    private func refusal(_ csv: String, mapping: String? = nil) -> String {
        do throws(ConversionError) {
            _ = try CSVMapping(Data((mapping ?? self.mapping).utf8)).converted(
                Data(csv.utf8))
            return ""
        } catch { return error.reason }
    }

    @Test func `makes events of a table's rows, in the order of their times`() throws {
        let events = try events(
            "order,accepted,seen,metres\r\n"
                + "\"a,1\",2026-05-01T12:00:00Z,2026-05-01T12:30:00Z,400\r\n"
                + "\"b\"\"2\",2026-05-01T11:00:00Z,,\r\n")
        #expect(events.map(\.subject) == ["b\"2", "a,1", "a,1"])
        #expect(events.last?.data == ["distanceMeters": .integer(400)])
        #expect(events.last?.line.contains(#""time":"2026-05-01T12:30:00Z""#) == true)
    }

    @Test func `says what is wrong with a table or a mapping`() {
        let head = "order,accepted,seen,metres\n"
        #expect(
            refusal("order,acceptd,seen,metres\n").contains("no column 'accepted'; there is ac"))
        #expect(
            refusal("metres," + head).contains("columns 1 and 5 have one name, 'metres', which"))
        #expect(refusal(head + "a,yesterday,,").contains("row 2, column 'accepted'"))
        #expect(refusal(head + "a,,2026-05-01T12:00:00Z,far").contains("must be a whole number"))
        #expect(refusal("").contains("no first line"))
        #expect(
            refusal(head, mapping: #"{"subject": "order", "events": []}"#)
                .contains("names no events")
        )
        #expect(
            refusal(
                head + "a,2026-05-01T12:00:00Z,,",
                mapping: mapping.replacing("/till", with: "my till")
            ).contains("the mapping: `source` must be a URI reference"))
        #expect(throws: ConversionError(reason: "is not UTF-8; save the table as CSV in UTF-8")) {
            try CSVMapping(Data(mapping.utf8)).converted(Data([0x6F, 0xE9]))
        }
        #expect(refusal(head, mapping: "{}").contains("the mapping is not {"))
        let latin = ConversionError(reason: "the mapping is not UTF-8; save it as JSON in UTF-8")
        #expect(throws: latin) { try CSVMapping(Data(Array(#"{"subject": ""#.utf8) + [0xE9])) }
        #expect(
            refusal(head, mapping: mapping.replacing("OrderAccepted", with: "OrderAcepted"))
                .contains("did you mean PizzaDelivery.OrderAccepted"))
        #expect(
            refusal(head, mapping: mapping.replacing("\"distanceMeters\"", with: "\"distance\""))
                .contains("a field distance, which it has not; there is"))
    }

    @Test(arguments: [
        (#""source""#, #""sorce""#, "the mapping has a member 'sorce', which it cannot have"),
        (#""data""#, #""date""#, "event 2 of the mapping has a member 'date'"),
        (
            #""metres""#, #"{"constant": 4, "unit": "m"}"#,
            "distanceMeters of event 2 of the mapping has a member 'unit'"
        ),
        (#""order""#, #"{"constnat": "a"}"#, "the mapping's subject has a member 'constnat'"),
    ])
    func `refuses a member that a mapping cannot have, and says which there are`(
        right: String, slip: String, complaint: String
    ) {
        let refusal = refusal(
            "order,accepted,seen,metres\n", mapping: mapping.replacing(right, with: slip))
        #expect(refusal.hasPrefix(complaint), "\(refusal)")
        #expect(refusal.contains("there is "), "\(refusal)")
    }

    @Test func `gives events the source /csv where the mapping names none`() throws {
        let unnamed = mapping.replacing(#" "source": "/till","#, with: "")
        let table = "order,accepted,seen,metres\na,2026-05-01T12:00:00Z,,\n"
        let events = try CSVMapping(Data(unnamed.utf8)).converted(Data(table.utf8)).events
        #expect(events.map(\.source) == ["/csv"])
    }

    private let head = "order,accepted,seen,metres\n"

    @Test func `gives a row the same id in every file, and tells it once`() throws {
        let monday = "a,2026-05-01T12:00:00Z,2026-05-01T12:30:00Z,400\n"
        let tuesday = "b,2026-05-02T12:00:00Z,2026-05-02T12:30:00Z,400\n"
        let first = try events(head + monday)
        let second = try events(head + tuesday)
        #expect(Set((first + second).map(\.id)).count == 4)
        #expect(try events(head + tuesday + monday + tuesday) == first + second)
        // What only another column tells is nothing else, and two of one name may tell it.
        #expect(try events("x,x," + head + "1,2," + monday).map(\.id) == first.map(\.id))
        #expect(try events(head + monday.replacing("400", with: "300"))[1].id != first[1].id)
    }

    @Test func `keeps the order of rows and of the mapping's events at one time`() throws {
        let mapping = #"""
            {"subject": "order", "events": [
                {"type": "PizzaDelivery.OrderReady", "time": "at"},
                {"type": "PizzaDelivery.OrderPickedUp", "time": "at"},
                {"type": "PizzaDelivery.OrderAccepted", "time": "early"}]}
            """#
        let table =
            "order,at,early\nb,2026-05-01T12:00:00Z,\n"
            + "a,2026-05-01T12:00:00Z,2026-05-01T11:00:00Z\n"
        let events = try CSVMapping(Data(mapping.utf8)).converted(Data(table.utf8)).events
        #expect(events.map(\.subject) == ["a", "b", "b", "a", "a"])
        let types = events.map { $0.type.dropFirst("PizzaDelivery.".count) }
        #expect(
            types == [
                "OrderAccepted", "OrderReady", "OrderPickedUp", "OrderReady", "OrderPickedUp",
            ])
    }

    @Test func `tells two columns of one type apart`() throws {
        let rule = #"{"type": "PizzaDelivery.OrderReady", "time": "#
        let mapping = #"{"subject": "order", "events": [\#(rule)"one"}, \#(rule)"two"}]}"#
        let table = "order,one,two\na,2026-05-01T12:00:00Z,2026-05-01T12:00:00Z\n"
        let events = try CSVMapping(Data(mapping.utf8)).converted(Data(table.utf8)).events
        #expect(events.count == 2 && Set(events.map(\.id)).count == 2)
    }

    @Test func `takes a spreadsheet's mark of byte order, and inches`() throws {
        let events = try events("\u{FEFF}" + head + "12\" pizza,2026-05-01T12:00:00Z,,\n")
        #expect(events.map(\.subject) == ["12\" pizza"])
    }

    @Test(arguments: [
        (",2,9 €,2026-05-01T13:00:00Z", "row 2, column 'order': '': `orderNumber` is missing"),
        ("1,0,9 €,2026-05-01T13:00:00Z", "row 2, column 'pizzas': '0': `numberOfPizzas` must be"),
        ("1,2,,2026-05-01T13:00:00Z", "row 2, column 'sum': '': `totalAmount` is missing; send"),
        ("1,2,9 €,tomorrow", "row 2, column 'promised': 'tomorrow': `promisedAt` must be"),
    ])
    func `says what a field must be`(cells: String, reason: String) {
        let mapping = #"""
            {"subject": "id", "events": [{"type": "PizzaDelivery.OrderPlaced", "time": "at",
             "data": {"orderNumber": "order", "numberOfPizzas": "pizzas", "totalAmount": "sum",
              "promisedAt": "promised"}}]}
            """#
        let table = "id,at,order,pizzas,sum,promised\na,2026-05-01T12:00:00Z,\(cells)\n"
        let said = refusal(table, mapping: mapping)
        #expect(said.contains(reason), "\(said)")
        let without = mapping.replacing(#", "totalAmount": "sum""#, with: "")
        #expect(
            refusal(table, mapping: without).contains(
                "gives PizzaDelivery.OrderPlaced no column for totalAmount, without which"))
    }

    @Test(arguments: [
        (",2026-05-01T12:00:00Z,,", "row 2, column 'order': '': `subject` must not be empty."),
        ("\"a\nb\",2026-05-01T12:00:00Z,,", "`subject` must not have control characters."),
        (
            "a,,2026-05-01T12:00:00Z,2000000",
            "row 2, column 'metres': '2000000': `distanceMeters` must be a whole number from"
        ),
        ("a,2026-05-01T12:00:00Z,,1,2", "row 2 has 5 cells, the first line 4; put what"),
        (
            "a,2026-05-01T12:00:00Z,,\n\"b,2026-05-01T12:00:00Z,,\nc,,,\n",
            "row 3, cell 1 begins with a quote that nothing closes"
        ),
        ("a,,,", "has no row with a time in 'accepted', 'seen'"),
        ("", "has no row with a time in 'accepted', 'seen': it has one line only"),
    ])
    func `says which row and column a server would refuse`(rows: String, reason: String) {
        let said = refusal(head + rows)
        #expect(said.contains(reason), "\(said)")
    }

    @Test func `says of lines that end with CR alone that they are one line`() throws {
        let said = refusal((head + "a,2026-05-01T12:00:00Z,,\n").replacing("\n", with: "\r"))
        #expect(said.hasPrefix("has one line only, for its lines end with CR alone; save"))
        let rule = #"{"type": "PizzaDelivery.OrderReady", "time": "at"}"#
        let mapping = #"{"subject": "order", "events": [\#(rule), \#(rule)]}"#
        #expect(
            refusal("order,at\n", mapping: mapping)
                == "has no row with a time in 'at': it has one line only")
    }

    @Test func `names a cell in one short line, whatever it has`() {
        let long = "\u{1B}[2J" + String(repeating: "far", count: 100_000)
        let time = "2026-05-01T12:00:00Z"
        for row in ["a,\(long),,", "a,,\(time),\(long)", "\(long),\(time),,"] {
            let said = refusal(head + row)
            #expect(said.contains("' [2Jfar") && said.utf8.count < 500, "\(said.prefix(500))")
        }
        let said = refusal("order,\(long)\n")
        #expect(said.contains("no column 'accepted'; there is order,  [2Jfar"))
        #expect(said.utf8.count < 500)
    }

    @Test func `takes a table of one long line, and lines that end with CR and LF`() throws {
        let long = String(repeating: "a", count: 1 << 20)
        #expect(refusal(long).hasPrefix("has no column 'order'; there is aaa"))
        var rows = CSVRows(Data("\"a\r\nb\",c\rd\r\n".utf8))
        let (row, end) = (try rows.next(), try rows.next())
        #expect(row == ["a\nb", "c\rd"] && end == nil)
    }

    @Test func `refuses a file that is longer than memory should have room for`() throws {
        let folder = URL(filePath: NSTemporaryDirectory() + "islet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let long = folder.appending(path: "long").path
        try Data().write(to: URL(filePath: long))
        // It takes no room on the disk.
        let handle = try #require(FileHandle(forWritingAtPath: long))
        try handle.truncate(atOffset: UInt64(Conversion.fileBytesMax + 1))
        try handle.close()
        let mapping = folder.appending(path: "mapping.json").path
        try Data(self.mapping.utf8).write(to: URL(filePath: mapping))
        let refusals: [(words: [String], reason: String)] = [
            (
                [long, "--from", "csv-mapping", "--mapping", mapping],
                "\(long) is longer than 64 MiB; split it into tables that all have its first line"
            ),
            (
                [long, "--from", "csv-mapping", "--mapping", long],
                "--mapping: \(long) is longer than 1 MiB"
            ),
            (
                [long, "--from", "openfootball"],
                "\(long) is longer than 64 MiB; give the file of one match or tournament, as it "
                    + "was published"
            ),
            (
                [mapping, "--from", "wyscout", "--matches", long],
                "--matches: \(long) is longer than 64 MiB; give the list of one season or "
                    + "competition, as it was published"
            ),
        ]
        for (words, reason) in refusals {
            let arguments = try Arguments(words, for: .replayConvert, environment: [:])
            #expect(throws: CommandFailure.failed(reason)) { _ = try Conversion(arguments) }
        }
    }

    @Test func `takes what is the same in every row from the mapping`() throws {
        let mapping = #"""
            {"subject": {"constant": "match-7"}, "events": [
                {"type": "Match.GoalScored", "time": "at", "data": {"goalID": "id",
                 "team": {"constant": "home"}, "minute": {"constant": 12}}},
                {"type": "Match.ShootoutKickTaken", "time": "at", "data": {
                 "team": {"constant": "away"}, "number": "kick", "result": {"constant": "saved"}}}]}
            """#
        let table = "at,id,kick\n2026-05-01T12:00:00Z,g1,1\n"
        let events = try CSVMapping(Data(mapping.utf8)).converted(Data(table.utf8)).events
        #expect(events.map(\.subject) == ["match-7", "match-7"])
        let goal = try #require(events.first { $0.type == "Match.GoalScored" })
        #expect(
            goal.data == ["goalID": .string("g1"), "team": .string("home"), "minute": .integer(12)])
        for (wrong, reason) in [
            (mapping.replacing(#""home""#, with: #""left""#), "the mapping: `team` must be"),
            (mapping.replacing("12}", with: "true}"), "the mapping: `minute` must be"),
            (mapping.replacing(#""match-7""#, with: #""""#), "the mapping: `subject` must"),
            (mapping.replacing("constant", with: "fixed"), "the mapping's subject has a"),
        ] {
            let said = refusal(table, mapping: wrong)
            #expect(said.contains(reason), "\(said)")
            // Nothing of it is because of the rows.
            let error = #expect(throws: ConversionError.self) {
                try CSVMapping(Data(wrong.utf8)).converted(
                    Data(table.utf8), settingAside: SetAside(path: "bad.csv"))
            }
            #expect(error?.reason == said)
        }
    }

    @Test func `sets bad rows aside, whole and with the reason, and takes them again`() throws {
        let good = "a,2026-05-01T12:00:00Z,,\n"
        let bad = "\"b, \"\"2\"\"\",2026-05-01T12:00:00Z,2026-05-01T12:30:00Z,far\nc,yesterday,,\n"
        let long = "d,2026-05-01T12:00:00Z,,1,more\n"
        let mapping = try CSVMapping(Data(self.mapping.utf8))
        func convert(_ table: String) throws -> Converted {
            try mapping.converted(Data(table.utf8), settingAside: SetAside(path: "bad.csv"))
        }
        let converted = try convert(head + good + bad + long + "\n" + good)
        #expect(converted.events.map(\.subject) == ["a"], "nothing of a row that is set aside")
        let aside = try #require(converted.setAside)
        #expect(aside.rows.map(\.number) == [3, 4, 5])
        let lines = aside.csv.split(separator: "\n")
        #expect(lines[0] == "order,accepted,seen,metres,rejected because")
        #expect(
            lines[1].hasPrefix("\"b, \"\"2\"\"\",2026-05-01T12:00:00Z,2026-05-01T12:30:00Z,far,"))
        #expect(lines[3].hasSuffix(",more"))
        #expect(aside.summary[0] == "set aside: 3 of 5 rows, in bad.csv")
        #expect(aside.summary[1].contains("row 3, column 'metres': 'far' must be"))
        // Put right, they go in by the same mapping.
        let right = aside.csv.replacing(",far,", with: ",400,").split(separator: "\n").prefix(2)
        let again = try convert(right.joined(separator: "\n"))
        #expect(again.events.map(\.subject) == ["b, \"2\"", "b, \"2\""])
        #expect(again.setAside?.summary == ["no row was set aside, and bad.csv was not written"])
        // And those that are still wrong have one reason.
        let still = try #require(try convert(aside.csv).setAside)
        #expect(still.csv.split(separator: "\n")[0] == lines[0])
    }

    @Test func `sets a cell with an accent behind a quote aside as it was`() throws {
        let mapping = try CSVMapping(Data(self.mapping.utf8))
        func convert(_ table: String) throws -> Converted {
            try mapping.converted(Data(table.utf8), settingAside: SetAside(path: "bad.csv"))
        }
        let bad = "\"b \"\"\u{301}\",yesterday,,\n"
        let aside = try #require(try convert(head + bad).setAside)
        let right = aside.csv.replacing("yesterday", with: "2026-05-01T12:00:00Z")
        #expect(try convert(right).events.map(\.subject) == ["b \"\u{301}"])
    }

    @Test func `writes the rows that it sets aside to a file`() async throws {
        let folder = URL(filePath: NSTemporaryDirectory() + "islet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func path(_ name: String) -> String { folder.appending(path: name).path }
        let rows = "a,2026-05-01T12:00:00Z,,\nb,yesterday,,\n"
        try Data((head + rows).utf8).write(to: URL(filePath: path("orders.csv")))
        try Data(mapping.utf8).write(to: URL(filePath: path("orders.json")))
        let convert = [
            "replay", "convert", path("orders.csv"), "--from", "csv-mapping", "--mapping",
            path("orders.json"),
        ]
        func run(_ words: String...) async -> Int32 {
            await Islet.commandSet.run(convert + words, environment: [:])
        }
        #expect(await run() == 1)
        try FileManager.default.createSymbolicLink(
            atPath: path("link"), withDestinationPath: path("orders.csv"))
        try FileManager.default.linkItem(atPath: path("orders.json"), toPath: path("other"))
        for taken in ["orders.csv", "orders.json", "link", "other"] {
            #expect(await run("--rejects", path(taken)) == 2, "\(taken)")
        }
        #expect(await run("--rejects", path("z"), "--to", path("z/")) == 2)
        #expect(try Data(contentsOf: URL(filePath: path("orders.csv"))) == Data((head + rows).utf8))
        #expect(await run("--rejects", path("bad.csv"), "--to", path("orders.ndjson")) == 0)
        let bad = try String(contentsOfFile: path("bad.csv"), encoding: .utf8)
        #expect(bad.hasPrefix("order,accepted,seen,metres,rejected because\nb,yesterday,,,"))
        let log = try String(contentsOfFile: path("orders.ndjson"), encoding: .utf8)
        #expect(log.split(separator: "\n").count == 1)
    }
}
