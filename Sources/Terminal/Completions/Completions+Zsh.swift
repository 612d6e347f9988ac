extension Completions {
    var zsh: String {
        var lines = [
            "#compdef islet", "# Completions of islet for zsh, by `islet completions zsh`.",
            "_islet() {", "    local -a names", "    local index=2",
            "    while (( index < CURRENT )) && [[ $words[index] != -* ]]; do (( index++ )); done",
            "    names=(${words[2,index-1]})", "    case \"${(j: :)names}\" in",
        ]
        for command in commands {
            // Operands may follow the name.
            lines.append("        '\(command.name)'|'\(command.name) '*)")
            lines.append("            shift \(command.path.count) words")
            lines.append("            (( CURRENT -= \(command.path.count) ))")
            let options = command.options.map(Self.argument) + ["'--help[Show the help.]'"]
            let shells = Shell.allCases.map(\.rawValue).joined(separator: " ")
            let operands = command.operands.map { operand in
                command.path == ["completions"]
                    ? "':\(operand.name):(\(shells))'"
                    : "':\(Self.escaped(operand.name)):_files'"
            }
            lines.append(
                "            _arguments \((options + operands).joined(separator: " "))")
            lines.append("            ;;")
        }
        for step in steps {
            let names = step.next.map { "'\($0.name):\(Self.escaped($0.summary))'" }
            lines.append("        '\(step.words.joined(separator: " "))')")
            lines.append("            local -a commands=(\(names.joined(separator: " ")))")
            lines.append("            _describe command commands")
            lines.append("            ;;")
        }
        lines += ["    esac", "}", "compdef _islet islet"]
        return lines.joined(separator: "\n")
    }

    private static func argument(_ option: OptionSpec) -> String {
        let star = option.repeats ? "*" : ""
        let help = "[\(escaped(option.help.firstSentence))]"
        guard let placeholder = option.placeholder else {
            return "'\(star)--\(option.name)\(help)'"
        }
        let action =
            switch option.candidates {
            case .words(let words): "(\(words.joined(separator: " ")))"
            case .files: "_files"
            case .directories: "_files -/"
            case .nothing: " "
            }
        return "'\(star)--\(option.name)=\(help):\(escaped(placeholder)):\(action)'"
    }

    /// Within single quotes, where brackets and colons mean something to `_arguments`.
    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("'", with: "'\\''")
            .replacing("[", with: "\\[").replacing("]", with: "\\]").replacing(":", with: "\\:")
    }
}
