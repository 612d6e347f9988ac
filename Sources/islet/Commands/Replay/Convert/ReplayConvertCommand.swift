import Domain
import Foundation

extension Command {
    static let replayConvert = Command(
        path: ["replay", "convert"],
        summary: "Make events of other people's files: matches of openfootball, rows of CSV.",
        discussion: """
            Writes CloudEvents, one a line, to standard output, as POST /v1/events takes them.
            openfootball: JSON of a tournament (worldcup.json, euro.json); times are taken as UTC, a
            goal of minute m as scored in its middle, and the kicks of shoot-outs are not in it.
            csv-mapping: a table with a column for each step; --mapping says which event a row makes
            of which column: {"subject": COLUMN, "source": TEXT, "events": [{"type": TYPE, "time":
            COLUMN, "data": {FIELD: COLUMN}}]}. Times are in RFC 3339; an empty one makes no event.
            """,
        operands: [Command.Operand(name: "FILE", help: "what is to be converted")],
        options: [
            OptionSpec("from", .choice(["openfootball", "csv-mapping"]), "What the file is."),
            OptionSpec(
                "only", .text(placeholder: "TEXT"),
                "Only activities whose id contains this, such as argentina."),
            OptionSpec("mapping", .text(placeholder: "FILE"), "For csv-mapping."),
        ],
        exitCodes: ["141 nobody reads the output"],
        examples: [
            "islet replay convert worldcup.json --from openfootball --only argentina-france",
            "islet replay convert orders.csv --from csv-mapping --mapping orders.json",
        ]
    ) { (arguments) async throws(CommandFailure) in
        let path = arguments.operand("FILE")
        let isTable = try arguments.required("from") == "csv-mapping"
        let mapping = isTable ? try contents(try arguments.required("mapping")) : nil
        let data = try contents(path)
        let events: [ConvertedEvent]
        do throws(ConversionFault) {
            events =
                if let mapping {
                    try CSVMapping(mapping).events(String(decoding: data, as: UTF8.self))
                } else {
                    try OpenFootball.events(data)
                }
        } catch { throw .failed("\(path): \(error.reason)") }
        let wanted = arguments.text("only")
        for event in events where wanted.map(event.subject.contains) ?? true {
            Console.print(event.line)
        }
    }

    private static func contents(_ path: String) throws(CommandFailure) -> Data {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw .failed("\(path) cannot be read")
        }
        return data
    }
}

/// Why a file makes no events.
struct ConversionFault: Error, Hashable {
    var reason: String
}

/// A CloudEvent that somebody else's file says.
struct ConvertedEvent: Encodable, Hashable {
    enum Value: Encodable, Hashable {
        case text(String)
        case integer(Int)
        case flag(Bool)

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .text(let text): try container.encode(text)
            case .integer(let number): try container.encode(number)
            case .flag(let flag): try container.encode(flag)
            }
        }
    }

    var specversion = "1.0"
    var id: String
    var source: String
    var type: String
    var subject: String
    var time: Moment
    var datacontenttype = "application/json"
    var data: [String: Value]

    var line: String { String(decoding: WireCoder.encode(self), as: UTF8.self) }
}
