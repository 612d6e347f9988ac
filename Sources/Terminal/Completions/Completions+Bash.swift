extension Completions {
    /// Functions of bash alone, so that it works without the package bash-completion as well.
    var bash: String {
        var lines = [
            "# Completions of islet for bash, by `islet completions bash`.", "_islet() {",
            "    local current=\"${COMP_WORDS[COMP_CWORD]}\"",
            "    local before=\"${COMP_WORDS[COMP_CWORD-1]}\"",
            "    local command=\"\" word",
            "    for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do",
            "        case \"$word\" in -*) break ;; esac",
            "        case \"${command:+$command }$word\" in",
        ]
        let known = steps.flatMap { step in
            step.next.map { (step.words + [$0.name]).joined(separator: " ") }
        }
        lines.append("            \(known.map { "'\($0)'" }.joined(separator: "|"))")
        lines[lines.count - 1] += ") command=\"${command:+$command }$word\" ;;"
        lines += ["            *) break ;;", "        esac", "    done"]
        lines.append("    case \"$command $before\" in")
        for command in commands {
            for option in command.options {
                let typed = "'\(command.name) --\(option.name)'"
                switch option.candidates {
                case .words(let words): lines.append(Self.answer(to: typed, words))
                case .files: lines.append("        \(typed)) _islet_paths -f; return ;;")
                case .directories: lines.append("        \(typed)) _islet_paths -d; return ;;")
                case .nothing:
                    if option.placeholder != nil { lines.append("        \(typed)) return ;;") }
                }
            }
        }
        lines += ["    esac", "    case \"$command\" in"]
        for step in steps {
            let words = step.next.map(\.name) + (step.words.isEmpty ? ["help", "--version"] : [])
            lines.append(Self.answer(to: "'\(step.words.joined(separator: " "))'", words))
        }
        for command in commands {
            let options = (command.options.map(\.name) + ["help"]).map { "--\($0)" }
            let shells = command.path == ["completions"] ? Shell.allCases.map(\.rawValue) : []
            lines.append(Self.answer(to: "'\(command.name)'", shells + options, orFiles: true))
        }
        lines += [
            "    esac", "}", "_islet_paths() {", "    compopt -o filenames 2>/dev/null",
            "    mapfile -t COMPREPLY < <(compgen \"$1\" -- \"$current\")", "}",
            "complete -F _islet islet",
        ]
        return lines.joined(separator: "\n")
    }

    /// - Parameter orFiles: for a word that is no option, which may be a file.
    private static func answer(
        to pattern: String, _ words: [String], orFiles: Bool = false
    ) -> String {
        let list = words.joined(separator: " ")
        let files =
            orFiles ? " [[ $current == -* || ${#COMPREPLY[@]} -gt 0 ]] || _islet_paths -f;" : ""
        return "        \(pattern)) mapfile -t COMPREPLY < "
            + "<(compgen -W '\(list)' -- \"$current\");\(files) return ;;"
    }
}
