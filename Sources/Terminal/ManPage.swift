import Foundation

/// Manual pages in the form that `man` reads, from the same source as the help.
enum ManPage {
    /// - Parameter isWhole: whether it is the page of all commands, and not of some.
    static func text(of commands: [Command], isWhole: Bool) -> String {
        // A group of commands, such as those of `islet keys`, has their first word for a name.
        let words = commands.count == 1 ? commands[0].path : Array(commands[0].path.prefix(1))
        let name = (["islet"] + (isWhole ? [] : words)).joined(separator: "-")
        let summary =
            commands.count == 1 ? commands[0].summary : "an event-sourced Live Activity backend"
        var lines = [
            ".TH \(escaped(name.uppercased())) 1 \"\" \"islet \(Version.current)\"",
            ".SH NAME", "\(escaped(name)) \\- \(escaped(summary))", ".SH SYNOPSIS",
        ]
        for command in commands { lines += [".B \(escaped(Help.usage(of: command)))", ".br"] }
        if isWhole {
            let note =
                "Every option can be given as an environment variable: --data-dir is "
                + "ISLET_DATA_DIR. What stands on the command line beats it."
            lines += [".SH ENVIRONMENT", escaped(note)]
        }
        for command in commands {
            if commands.count > 1 { lines.append(".SH \(escaped("islet \(command.name)"))") }
            lines += section(of: command, isAlone: commands.count == 1)
        }
        return lines.joined(separator: "\n")
    }

    private static func section(of command: Command, isAlone: Bool) -> [String] {
        func heading(_ text: String) -> String { isAlone ? ".SH \(text)" : ".SS \(text)" }
        var lines: [String] = isAlone ? [".SH DESCRIPTION"] : []
        lines.append(escaped(command.summary))
        if !command.discussion.isEmpty { lines += [".PP", escaped(command.discussion)] }
        if !command.operands.isEmpty {
            lines.append(heading("OPERANDS"))
            for operand in command.operands {
                lines += [".TP", ".I \(escaped(operand.name))", escaped(operand.help)]
            }
        }
        if !command.options.isEmpty { lines.append(heading("OPTIONS")) }
        for option in command.options {
            let value = option.placeholder.map { " \\fI\(escaped($0))\\fR" } ?? ""
            lines += [
                ".TP", "\\fB\(escaped("--\(option.name)"))\\fR\(value)",
                escaped(option.help + Help.remarks(on: option)),
            ]
        }
        lines += [heading("EXAMPLES"), ".nf"] + command.examples.map(escaped) + [".fi"]
        lines.append(heading("EXIT STATUS"))
        for code in Help.exitCodes(of: command) {
            let parts = code.split(separator: " ", maxSplits: 1).map(String.init)
            lines += [".TP", ".B \(parts[0])", escaped(parts.last ?? "")]
        }
        return lines
    }

    /// As text that no macro or escape of roff is taken for.
    private static func escaped(_ text: String) -> String {
        let plain = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
        return plain.unicodeScalars.map { scalar in
            scalar.isASCII ? String(scalar) : String(format: "\\[u%04X]", scalar.value)
        }.joined()
            .split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.hasPrefix(".") || $0.hasPrefix("'") ? "\\&\($0)" : String($0) }
            .joined(separator: "\n")
    }
}
