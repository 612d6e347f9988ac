/// What `--help` prints.
public enum Help {
    public static func text(for command: Command) -> String {
        let operands = command.operands.map { $0.isOptional ? " [\($0.name)]" : " \($0.name)" }
            .joined()
        var text = "\(command.summary)\n\nUsage: islet \(command.name)\(operands)"
        text += command.options.isEmpty ? "\n" : " [options]\n"
        if !command.discussion.isEmpty { text += "\n\(command.discussion)\n" }
        if !command.operands.isEmpty {
            text += "\nOperands:\n"
            for operand in command.operands { text += "  \(operand.name)\n      \(operand.help)\n" }
        }
        text += "\nOptions:\n"
        for option in command.options { text += describe(option) }
        text += "  --help\n      Show this text.\n\nExamples:\n"
        for example in command.examples { text += "  \(example)\n" }
        let own = command.exitCodes
        let usual = ["0 done", "1 failed", "2 wrong usage"].filter { code in
            !own.contains { $0.first == code.first }
        }
        let codes = usual + own
        return text + "\nExit codes: \(codes.joined(separator: ", ")).\n"
    }

    public static func overview(of commands: [Command]) -> String {
        let width = commands.map(\.name.count).max() ?? 0
        var text =
            "Islet: an event-sourced Live Activity backend.\n\nUsage: islet COMMAND [options]\n"
        text += "\nCommands:\n"
        for command in commands {
            let padding = String(repeating: " ", count: width - command.name.count)
            text += "  \(command.name)\(padding)  \(command.summary)\n"
        }
        text += "\n`islet COMMAND --help` explains one, with examples.\n"
        return text + "Every option can be given as an environment variable: --data-dir is "
            + "ISLET_DATA_DIR.\n"
    }

    /// All of it as the page docs/reference/command-line.md.
    public static func page(of commands: [Command]) -> String {
        let sections = commands.map { "## islet \($0.name)\n\n```\n\(text(for: $0))```\n" }
        return "# Command line\n\nWritten by `make docs`.\n\n```\n\(overview(of: commands))```\n\n"
            + sections.joined(separator: "\n")
    }

    private static func describe(_ option: OptionSpec) -> String {
        var text = "  --\(option.name)"
        if let placeholder = option.placeholder { text += " \(placeholder)" }
        text += "\n      \(option.help)"
        if let defaultText = option.defaultText { text += " Default: \(defaultText)." }
        if option.repeats { text += " May be repeated." }
        let variables = [option.variable, option.foreignVariable].compactMap { $0 }
        return text + " [\(variables.joined(separator: ", "))]\n"
    }
}
