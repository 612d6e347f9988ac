/// Scripts that complete a command line, written from the same source as the help.
struct Completions {
    enum Shell: String, CaseIterable {
        case bash, zsh, fish
    }

    let commands: [Command]

    init(of commands: [Command]) { self.commands = commands }

    func script(for shell: Shell) -> String {
        switch shell {
        case .bash: bash
        case .zsh: zsh
        case .fish: fish
        }
    }

    /// What can stand behind the words: the next parts of commands' names, and what they are
    /// about.
    var steps: [(words: [String], next: [(name: String, summary: String)])] {
        var steps: [[String]: [(name: String, summary: String)]] = [:]
        for command in commands {
            for depth in 0..<command.path.count {
                let name = command.path[depth]
                let words = Array(command.path.prefix(depth))
                guard steps[words]?.contains(where: { $0.name == name }) != true else { continue }
                let isWhole = depth + 1 == command.path.count
                let summary = isWhole ? command.summary : "Commands about \(name)."
                steps[words, default: []].append((name, summary))
            }
        }
        return steps.map { ($0.key, $0.value) }
            .sorted { $0.0.joined(separator: " ") < $1.0.joined(separator: " ") }
    }
}

extension OptionSpec {
    /// What a shell offers for the value.
    enum Candidates {
        case words([String])
        case files
        case directories
        case nothing
    }

    var candidates: Candidates {
        switch value {
        case .choice(let words): .words(words)
        case .text(let placeholder) where placeholder.contains("FILE"): .files
        case .text(let placeholder) where placeholder.contains("DIR"): .directories
        case .flag, .text, .integer, .place, .speed: .nothing
        }
    }
}
