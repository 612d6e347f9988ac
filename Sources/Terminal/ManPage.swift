/// Manual pages in the form that `man` reads, from the same source as the help.
enum ManPage {
    /// - Parameter isWhole: whether it is the page of all commands, and not of some.
    static func text(of commands: [Command], isWhole: Bool) -> String {
        let name = isWhole ? "islet" : "islet-" + commonName(of: commands)
        let summary =
            commands.count == 1 ? commands[0].summary : "an event-sourced Live Activity backend"
        var lines = [
            ".TH \(escaped(name.uppercased())) 1 \"\" \"islet \(Version.current)\"",
            ".SH NAME", "\(escaped(name)) \\- \(escaped(summary))", ".SH SYNOPSIS",
        ]
        for command in commands { lines += [".B \(escaped(Help.usage(of: command)))", ".br"] }
        if isWhole { lines += general }
        for command in commands {
            if commands.count > 1 { lines.append(".SH \(escaped("islet \(command.name)"))") }
            lines += section(of: command, isAlone: commands.count == 1)
        }
        return lines.joined(separator: "\n")
    }

    /// For pages of a group of commands, such as those of `islet keys`.
    private static func commonName(of commands: [Command]) -> String {
        commands.count == 1
            ? commands[0].path.joined(separator: "-") : commands.first?.path.first ?? ""
    }

    private static var general: [String] {
        [
            ".SH ENVIRONMENT",
            escaped(
                "Every option can be given as an environment variable: --data-dir is "
                    + "ISLET_DATA_DIR. What stands on the command line beats it."),
        ]
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
            let digits = String(scalar.value, radix: 16, uppercase: true)
            return scalar.isASCII
                ? String(scalar)
                : "\\[u\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)]"
        }.joined()
            .split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.hasPrefix(".") || $0.hasPrefix("'") ? "\\&\($0)" : String($0) }
            .joined(separator: "\n")
    }
}
