/// The subcommands of the program, and what else its command line takes.
public struct CommandSet: Sendable {
    public let commands: [Command]
    /// What is called otherwise now, by its former name.
    private let formerNames: [String: String]
    /// Environment variables of ours that are no option's.
    private let otherVariables: Set<String>

    public init(
        _ commands: [Command], formerNames: [String: String] = [:],
        otherVariables: Set<String> = []
    ) {
        self.commands = commands + [.completions(of: commands)]
        self.formerNames = formerNames
        self.otherVariables = otherVariables
    }

    /// - Parameter words: what stands behind the program's name.
    /// - Returns: the exit code.
    public func run(_ words: [String], environment: [String: String]) async -> Int32 {
        let code = await carryOut(words, environment)
        return code == 0 ? Console.exitCode : code
    }

    private func carryOut(_ words: [String], _ environment: [String: String]) async -> Int32 {
        guard let first = words.first else {
            Console.print(Help.overview(of: commands))
            return CommandFailure.usageCode
        }
        if ["--version", "-v"].contains(first) {
            Console.print("islet \(Version.full)")
            return 0
        }
        let asksForHelp = words.contains { $0 == "--help" || $0 == "-h" }
        if ["help", "--help", "-h"].contains(first) { return help(Array(words.dropFirst())) }
        guard let command = command(for: words) else {
            return asksForHelp ? help(words) : refuse(words)
        }
        let rest = words.dropFirst(command.path.count)
        do {
            let arguments = try Arguments(
                rest, for: command, environment: environment, settings: settings)
            if arguments.asksForHelp {
                Console.print(Help.text(for: command))
            } else {
                try refuseUnknownVariables(environment)
                try await command.run(arguments)
            }
            return 0
        } catch {
            if !error.text.isEmpty { Console.note("islet \(command.name): \(error.text)") }
            return error.exitCode
        }
    }

    /// What a file of settings may set: the server's options.
    private var settings: [OptionSpec] {
        let server = commands.first { $0.path == ["serve"] }
        return (server?.options ?? []).filter { $0.name != ConfigFile.option.name }
    }

    /// The longest whose path the words begin with.
    func command(for words: [String]) -> Command? {
        commands.filter { words.starts(with: $0.path) }.max { $0.path.count < $1.path.count }
    }

    /// `islet help`, with a command or a part of one, as text or as a page.
    private func help(_ words: [String]) -> Int32 {
        // Help about help is what there is help about. A name may be in quotes.
        let named = words.filter { !$0.hasPrefix("-") }.flatMap { $0.split(separator: " ") }
        let names = named.map(String.init).drop { $0 == "help" }
        let chosen = names.isEmpty ? commands : commands.filter { $0.path.starts(with: names) }
        guard !chosen.isEmpty else { return refuse(Array(names)) }
        if words.contains("--man") {
            Console.print(ManPage.text(of: chosen, isWhole: names.isEmpty))
        } else if words.contains("--markdown") {
            Console.print(Help.page(of: chosen))
        } else if chosen.count == 1, chosen[0].path.elementsEqual(names) {
            Console.print(Help.text(for: chosen[0]))
        } else {
            Console.print(Help.overview(of: chosen))
        }
        return 0
    }

    /// Says what is wrong with words that name no command.
    private func refuse(_ words: [String]) -> Int32 {
        Console.note("islet: \(complaint(about: words))")
        return CommandFailure.usageCode
    }

    func complaint(about words: [String]) -> String {
        let first = words.first ?? ""
        let typed = words.prefix { !$0.hasPrefix("-") }.prefix(2).joined(separator: " ")
        if let now = formerNames[typed] { return "'\(typed)' is called 'islet \(now)' now" }
        if first.contains(" "), commands.contains(where: { $0.name == first }) {
            return "'\(first)' is typed without quotes: islet \(first)"
        }
        let known = commands.filter { $0.path.first == first }
        if known.isEmpty {
            let names = commands.compactMap(\.path.first) + commands.map(\.name)
            let question = Suggestion.question(
                about: first, among: Set(names + ["help"]).sorted(), written: { "'\($0)'" })
            return "unknown command '\(first)'"
                + (question.isEmpty ? "; see islet --help" : question)
        }
        let question =
            typed == first
            ? ""
            : Suggestion.question(
                about: words[1], among: known.compactMap(\.path.last),
                written: { "'islet \(first) \($0)'" })
        guard question.isEmpty else { return "unknown command '\(typed)'\(question)" }
        let names = known.map { "islet \($0.name)" }.joined(separator: ", ")
        return "'\(first)' needs one of: \(names)"
    }

    private func refuseUnknownVariables(
        _ environment: [String: String]
    ) throws(CommandFailure) {
        let known = otherVariables.union(commands.flatMap(\.options).flatMap(\.variables))
        if let complaint = EnvironmentVariables.complaint(about: environment, known: known) {
            throw .usage(complaint)
        }
    }
}
