extension Completions {
    var fish: String {
        var lines = [
            "# Completions of islet for fish, by `islet completions fish`.",
            "function __islet_is", "    set -l words (commandline -opc)",
            "    set -e words[1]", "    set -l names",
            "    for word in $words", "        string match -q -- '-*' $word; and break",
            "        set -a names $word", "    end",
            "    set -l count (count $argv)",
            "    test (count $names) -ge $count; or return 1",
            "    test $count -eq 0; and test (count $names) -eq 0; and return 0",
            "    test $count -gt 0; and test \"$names[1..$count]\" = \"$argv\"", "end",
            "complete -c islet -f",
        ]
        for step in steps {
            for (name, summary) in step.next {
                // Only where nothing follows yet, or a group would offer its commands once more.
                let isOpen = "test (count (commandline -opc)) -eq \(step.words.count + 1)"
                let condition = "\(Self.condition(step.words)); and \(isOpen)"
                lines.append(
                    "complete -c islet -n \(Self.quoted(condition)) -a \(name) "
                        + "-d \(Self.quoted(summary))")
            }
        }
        for command in commands {
            let condition = Self.quoted(Self.condition(command.path))
            for option in command.options {
                var line = "complete -c islet -n \(condition) -l \(option.name)"
                switch option.candidates {
                case .words(let words):
                    line += " -x -a \(Self.quoted(words.joined(separator: " ")))"
                case .files, .directories: line += " -r -F"
                case .nothing: line += option.placeholder == nil ? "" : " -x"
                }
                lines.append("\(line) -d \(Self.quoted(option.help.firstSentence))")
            }
            if !command.operands.isEmpty {
                let words = Shell.allCases.map(\.rawValue).joined(separator: " ")
                lines.append(
                    command.path == ["completions"]
                        ? "complete -c islet -n \(condition) -a \(Self.quoted(words))"
                        : "complete -c islet -n \(condition) -F")
            }
        }
        return lines.joined(separator: "\n")
    }

    private static func condition(_ words: [String]) -> String {
        (["__islet_is"] + words).joined(separator: " ")
    }

    private static func quoted(_ text: String) -> String {
        "'\(text.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'"
    }
}

extension String {
    /// Up to its first full stop that a space or the end follows.
    var firstSentence: String {
        firstMatch(of: /^.*?\.(?= |$)/.dotMatchesNewlines()).map { String($0.0) } ?? self
    }
}
