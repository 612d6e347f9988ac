extension Command {
    /// - Parameter commands: the others.
    static func completions(of commands: [Command]) -> Command {
        var command = Command(
            path: ["completions"],
            summary: "Print a script with which a shell completes what you type.",
            discussion: """
                It knows commands, options and the values that an option may have. For bash, with
                the package bash-completion: ~/.local/share/bash-completion/completions/islet. For
                zsh: a file called _islet in a directory of $fpath. For fish:
                ~/.config/fish/completions/islet.fish.
                """,
            operands: [Operand(name: "SHELL", help: "bash, zsh or fish")],
            examples: [
                "source <(islet completions bash)",
                "islet completions fish > ~/.config/fish/completions/islet.fish",
            ], run: { _ in })
        let all = commands + [command]
        command.run = { (arguments) async throws(CommandFailure) in
            let name = arguments.operand("SHELL")
            guard let shell = Completions.Shell(rawValue: name) else {
                throw .usage(
                    "SHELL must be bash, zsh or fish, not '\(name)'"
                        + Suggestion.question(
                            about: name, among: Completions.Shell.allCases.map(\.rawValue)))
            }
            Console.print(Completions(of: all).script(for: shell))
        }
        return command
    }
}
