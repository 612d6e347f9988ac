/// What `--help` prints.
public enum Help {
    public static func text(for command: Command) -> String {
        var text = "\(command.summary)\n\nUsage: \(usage(of: command))\n"
        if !command.discussion.isEmpty { text += "\n\(command.discussion)\n" }
        if !command.operands.isEmpty {
            text += "\nOperands:\n"
            for operand in command.operands { text += "  \(operand.name)\n      \(operand.help)\n" }
        }
        text += "\nOptions:\n"
        for option in command.options { text += describe(option) }
        text += "  --help\n      Show this text.\n\nExamples:\n"
        for example in command.examples { text += "  \(example)\n" }
        return text + "\nExit codes: \(exitCodes(of: command).joined(separator: ", ")).\n"
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
        text +=
            "\n`islet help COMMAND` explains one, with examples; `islet help --man` is the manual "
        text += "page.\n`islet completions SHELL` has bash, zsh or fish complete what you type.\n"
        return text + "Every option can be given as an environment variable: --data-dir is "
            + "ISLET_DATA_DIR. The settings of\nislet serve can also stand in a file; see "
            + "`islet help config check`.\n"
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
        return text + "\n      \(option.help)\(remarks(on: option))\n"
    }

    /// What follows the help of an option: the numbers that it takes, its default, and how else it
    /// can be given. Choices stand behind its name.
    static func remarks(on option: OptionSpec) -> String {
        var text = option.repeats ? " May be repeated." : ""
        if case .integer = option.value, let values = option.values {
            text += " [values: \(values)]"
        }
        if let defaultText = option.defaultText { text += " [default: \(defaultText)]" }
        return text + " [env: \(option.variables.joined(separator: ", "))]"
    }

    static func usage(of command: Command) -> String {
        let operands = command.operands.map { " \($0.name)" }.joined()
        return "islet \(command.name)\(operands)" + (command.options.isEmpty ? "" : " [options]")
    }

    /// With what each means, such as `0 done`.
    static func exitCodes(of command: Command) -> [String] {
        let own = command.exitCodes
        let usual = ["0 done", "1 failed", "2 wrong usage"].filter { code in
            // "1", and not the beginning of "130".
            !own.contains { $0.hasPrefix("\(code.prefix { $0 != " " }) ") }
        }
        return usual + own
    }
}
