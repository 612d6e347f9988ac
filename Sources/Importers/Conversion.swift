import Domain
import Foundation
public import Terminal

/// What is to be read as what, as the command line says.
public struct Conversion {
    public let format: String
    private let file: SourceFile
    private let mapping: SourceFile?
    private let list: SourceFile?
    private let heading: MatchHeading
    /// Where bad rows go; nil to refuse the table for the first.
    private let rejects: String?
    /// Nothing is left out or assumed.
    private let isStrict: Bool
    /// What an activity's id must contain.
    private let wanted: String?

    /// Of a file. All of it is in memory, and several times as much while it is converted.
    public static let fileBytesMax = 64 << 20

    /// Options that say something to some formats alone.
    private static let formats: [(option: String, formats: [String])] = [
        ("matches", ["statsbomb", "wyscout"]), ("kickoff", ["statsbomb", "wyscout"]),
        ("competition", ["statsbomb", "wyscout"]), ("home", ["statsbomb", "wyscout"]),
        ("mapping", ["csv-mapping"]), ("rejects", ["csv-mapping"]),
        ("strict", ["openfootball", "statsbomb", "wyscout"]),
    ]

    public init(_ arguments: Arguments) throws(CommandFailure) {
        format = try arguments.required("from")
        for (option, formats) in Self.formats where !formats.contains(format) {
            guard !arguments.isTyped(option) else {
                throw .usage(
                    "--\(option) says nothing to --from \(format); it is for "
                        + formats.joined(separator: ", "))
            }
        }
        try arguments.refuseSharedFiles(
            written: ["rejects", "to"], read: ["FILE", "mapping", "matches"])
        let kickoff = arguments.text("kickoff")
        heading = MatchHeading(
            kickoff: kickoff.flatMap { Moment(rfc3339: $0) },
            competition: arguments.text("competition"), home: arguments.text("home"))
        guard kickoff == nil || heading.kickoff != nil else {
            throw .usage("--kickoff must be a time with a zone such as 2026-05-01T18:00:00Z")
        }
        wanted = arguments.text("only")
        rejects = arguments.text("rejects")
        isStrict = arguments.flag("strict")
        let isTable = format == "csv-mapping"
        mapping =
            isTable
            ? try Self.read(arguments.required("mapping"), option: "mapping", bytesMax: 1 << 20)
            : nil
        list =
            if let path = arguments.text("matches") {
                try Self.read(
                    path, option: "matches",
                    remedy: "give the list of one season or competition, as it was published")
            } else { nil }
        file = try Self.read(
            arguments.operand("FILE"),
            remedy: isTable
                ? "split it into tables that all have its first line"
                : "give the file of one match or tournament, as it was published")
    }

    private static func read(
        _ path: String, option: String? = nil, bytesMax: Int = Conversion.fileBytesMax,
        remedy: String? = nil
    ) throws(CommandFailure) -> SourceFile {
        SourceFile(
            path: path,
            contents: try GivenFile.read(path, option: option, bytesMax: bytesMax, remedy: remedy))
    }

    /// - Throws: also when no activity is left.
    public func converted() throws(CommandFailure) -> Converted {
        var converted: Converted
        do throws(ConversionError) { converted = try made() } catch {
            throw .failed("\(error.path ?? file.path): \(error.reason)")
        }
        if let wanted {
            converted = converted.only(wanted)
            guard !converted.events.isEmpty || !converted.leftOut.isEmpty else {
                throw .failed("\(file.path): no activity's id contains '\(wanted)'; change --only")
            }
        }
        if let setAside = converted.setAside, !setAside.rows.isEmpty {
            do { try Data(setAside.csv.utf8).write(to: URL(filePath: setAside.path)) } catch {
                throw .failed("--rejects: \(setAside.path) cannot be written")
            }
        }
        if isStrict, !converted.remarks.isEmpty {
            throw .failed(
                "\(file.path): nothing is converted with --strict, for of some matches something "
                    + "is left out or assumed:\n  "
                    + converted.remarks.joined(separator: "\n  "))
        }
        guard !converted.events.isEmpty else {
            if let setAside = converted.setAside {
                throw .failed(
                    "\(file.path): nothing is left; "
                        + setAside.summary.joined(separator: "\n"))
            }
            let reasons = converted.leftOut.map { "\n  \($0.text)" }
            throw .failed("\(file.path): nothing is left:\(reasons.joined())")
        }
        return converted
    }

    private func made() throws(ConversionError) -> Converted {
        if let mapping {
            return try CSVMapping(mapping.contents).converted(
                file.contents, settingAside: rejects.map { SetAside(path: $0) })
        }
        return switch format {
        case "statsbomb": try StatsBomb.converted(file, list, heading)
        case "wyscout": try Wyscout.converted(file, list, heading)
        default: try OpenFootball.matches(file)
        }
    }
}
