import Foundation
import Terminal

/// What a node is called, in the log, in claims and in what Postgres shows of its sessions.
enum NodeName {
    static let option = OptionSpec(
        "node-name", .text(placeholder: "NAME"),
        "What this node is called: in its log lines, in Postgres' pg_stat_activity "
            + "(islet/NAME), and where others take over what it left undone. Letters, digits, "
            + "dots, dashes and underscores, \(charactersMax) at most; no two nodes of a database "
            + "may have the same. Default: the host's name and four characters that are new at "
            + "every start.")

    /// Postgres cuts what a session says of itself after 63 bytes.
    private static let charactersMax = 48

    static func of(_ arguments: Arguments) throws(CommandFailure) -> String {
        guard let given = arguments.text(option.name) else {
            return made(forHost: ProcessInfo.processInfo.hostName)
        }
        guard given.count <= charactersMax, !given.isEmpty, given.allSatisfy(isPlain) else {
            throw .usage(
                "--node-name must be 1 to \(charactersMax) letters, digits, dots, dashes or "
                    + "underscores, such as islet-1")
        }
        return given
    }

    /// Two on one machine, or in two containers of the same name, have different ones.
    static func made(forHost host: String) -> String {
        let short = host.prefix { $0 != "." }.filter(isPlain)
        // All numbers with four digits.
        let suffix = String(UInt32.random(in: 46_656..<1_679_616), radix: 36)
        return "\(short.isEmpty ? "node" : short.prefix(charactersMax - 5))-\(suffix)"
    }

    private static func isPlain(_ character: Character) -> Bool {
        character.isASCII
            && (character.isLetter || character.isNumber || ".-_".contains(character))
    }
}
