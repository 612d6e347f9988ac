import Domain
import Foundation

/// What is to be read as what, as the command line says.
struct Conversion {
    let format: String
    private let file: SourceFile
    private let mapping: SourceFile?
    private let list: SourceFile?
    private let heading: MatchHeading
    /// What an activity's id must contain.
    private let wanted: String?

    /// Options that say something to some formats alone.
    private static let formats: [(option: String, formats: [String])] = [
        ("matches", ["statsbomb", "wyscout"]), ("kickoff", ["statsbomb", "wyscout"]),
        ("competition", ["statsbomb", "wyscout"]), ("home", ["statsbomb", "wyscout"]),
        ("mapping", ["csv-mapping"]),
    ]

    init(_ arguments: Arguments) throws(CommandFailure) {
        format = try arguments.required("from")
        for (option, formats) in Self.formats where !formats.contains(format) {
            guard !arguments.isTyped(option) else {
                throw .usage(
                    "--\(option) says nothing to --from \(format); it is for "
                        + formats.joined(separator: " and "))
            }
        }
        let kickoff = arguments.text("kickoff")
        heading = MatchHeading(
            kickoff: kickoff.flatMap { Moment(rfc3339: $0) },
            competition: arguments.text("competition"), home: arguments.text("home"))
        guard kickoff == nil || heading.kickoff != nil else {
            throw .usage("--kickoff must be a time with a zone such as 2026-05-01T18:00:00Z")
        }
        wanted = arguments.text("only")
        mapping = format == "csv-mapping" ? try Self.read(arguments.required("mapping")) : nil
        list = if let path = arguments.text("matches") { try Self.read(path) } else { nil }
        file = try Self.read(arguments.operand("FILE"))
    }

    private static func read(_ path: String) throws(CommandFailure) -> SourceFile {
        guard let contents = FileManager.default.contents(atPath: path) else {
            throw .failed("\(path) cannot be read")
        }
        return SourceFile(path: path, contents: contents)
    }

    /// - Throws: also when no activity is left.
    func events() throws(CommandFailure) -> [ConvertedEvent] {
        let all: [ConvertedEvent]
        do throws(ConversionFault) { all = try made() } catch {
            throw .failed("\(error.path ?? file.path): \(error.reason)")
        }
        guard let wanted else { return all }
        let events = all.filter { $0.subject.contains(wanted) }
        guard !events.isEmpty else {
            throw .failed("\(file.path): no activity's id contains '\(wanted)'; change --only")
        }
        return events
    }

    private func made() throws(ConversionFault) -> [ConvertedEvent] {
        if let mapping {
            let table = String(decoding: file.contents, as: UTF8.self)
            return try CSVMapping(mapping.contents).events(table)
        }
        return switch format {
        case "statsbomb": try StatsBomb.events(file, list, heading)
        case "wyscout": try Wyscout.events(file, list, heading)
        default: try OpenFootball.events(file.contents)
        }
    }
}
