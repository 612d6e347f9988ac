public import Domain
import Foundation

/// The words after a subcommand, checked against its options; environment variables fill in, and a
/// file of settings after them.
public struct Arguments: Sendable {
    private(set) var operands: [String: String] = [:]
    private var values: [String: [String]] = [:]
    private var origins: [String: SettingOrigin] = [:]
    public private(set) var asksForHelp = false
    /// That `--config` names.
    public private(set) var file: ConfigFile?

    private let command: Command
    private let words: [String]
    private let environment: [String: String]
    private let settings: [OptionSpec]

    /// - Parameter settings: what a file of settings may set; nil for the command's own options.
    /// - Throws: `.usage` naming the word that is wrong and the remedy.
    public init(
        _ words: some Sequence<String>, for command: Command, environment: [String: String],
        settings: [OptionSpec]? = nil
    ) throws(CommandFailure) {
        self.command = command
        self.words = Array(words)
        self.environment = environment
        self.settings = settings ?? command.options
        var positional: [String] = []
        var rest = self.words[...]
        while let word = rest.popFirst() {
            if word == "--help" || word == "-h" {
                asksForHelp = true
            } else if word == "--" {
                positional += rest
                rest = []
            } else if word.hasPrefix("--") {
                try takeOption(word.dropFirst(2), &rest)
            } else if word.hasPrefix("-"), word != "-" {
                throw .usage(
                    "unknown option \(word); options have two dashes"
                        + nearestOption(to: word.dropFirst()))
            } else {
                positional.append(word)
            }
        }
        if asksForHelp { return }
        try take(positional)
        try fill(from: environment)
        if let path = text(ConfigFile.option.name), spec(ConfigFile.option.name) != nil {
            try fill(from: path)
        }
        try refuseContradictions()
    }

    /// The same words and variables, with what the file says now.
    public func again() throws(CommandFailure) -> Arguments {
        try Arguments(words, for: command, environment: environment, settings: settings)
    }

    public func text(_ name: String) -> String? {
        values[name]?.last ?? spec(name)?.defaultText
    }

    public func texts(_ name: String) -> [String] {
        values[name] ?? spec(name)?.defaultText.map { [$0] } ?? []
    }

    public func integer(_ name: String) -> Int? { text(name).flatMap { Int($0) } }

    public func speed(_ name: String) -> Double? { text(name).flatMap { OptionSpec.speed($0) } }

    public func place(_ name: String) -> HistoryPlace? {
        text(name).flatMap { OptionSpec.place($0) }
    }

    public func flag(_ name: String) -> Bool { ["1", "true"].contains(text(name)) }

    /// True when the option stands on the command line itself, not in the environment.
    public func isTyped(_ name: String) -> Bool { origins[name] == .flag }

    public func origin(_ name: String) -> SettingOrigin { origins[name] ?? .standard }

    public func operand(_ name: String) -> String { operands[name] ?? "" }

    /// - Throws: `.usage` when neither flag nor variable gives it.
    public func required(_ name: String) throws(CommandFailure) -> String {
        guard let text = text(name) else {
            throw .usage("--\(name) is missing; give it or set \(spec(name)?.variable ?? "")")
        }
        return text
    }

    private func nearestOption(to name: some StringProtocol) -> String {
        let called = command.options.flatMap { spec in
            [spec.name, spec.otherName].compactMap(\.self).map { (name: $0, spec: spec) }
        }
        return Suggestion.question(
            about: String(name), among: called.map { $0.name },
            written: { name in "--\(called.first { $0.name == name }?.spec.name ?? name)" })
    }

    /// Of what is typed, and of what one file says: an environment may be that of several
    /// commands.
    private func refuseContradictions() throws(CommandFailure) {
        for spec in command.options {
            let (name, isInFile) = written(spec.name)
            guard isTyped(spec.name) || isInFile else { continue }
            if let other = spec.needs, values[other] == nil {
                throw .usage(
                    "\(name) says nothing without \(written(other).name); give both or neither")
            }
            if let other = spec.excludes, isTyped(other) || written(other).isInFile,
                isTyped(other) == isTyped(spec.name)
            {
                throw .usage(
                    "\(name) and \(written(other).name) contradict each other; give one of them")
            }
        }
    }

    /// What this one says otherwise than the other, by name.
    public func settingsThatDiffer(from other: Arguments) -> [String] {
        command.options.map(\.name).filter { texts($0) != other.texts($0) }
    }

    /// As an option is named where it stands.
    public func written(_ name: String) -> (name: String, isInFile: Bool) {
        guard case .file(let line) = origin(name), let file else { return ("--\(name)", false) }
        return ("\(file.path):\(line): \(name)", true)
    }

    private func spec(_ name: some StringProtocol) -> OptionSpec? {
        command.options.first { $0.name == name }
    }

    private mutating func takeOption(
        _ word: Substring, _ rest: inout ArraySlice<String>
    ) throws(CommandFailure) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = parts.first, let spec = spec(name) else {
            let name = parts.first ?? ""
            let question = nearestOption(to: name)
            throw .usage(
                "unknown option --\(name)\(question.isEmpty ? "; see --help" : question)")
        }
        var text = parts.count == 2 ? String(parts[1]) : nil
        if case .flag = spec.value {
            text = text ?? "1"
        } else if text == nil {
            text = rest.popFirst()
        }
        guard let text else {
            throw .usage("--\(name) needs a value: --\(name) \(spec.placeholder ?? "")")
        }
        if let complaint = spec.complaint(about: text) { throw .usage("--\(name) \(complaint)") }
        if !spec.repeats, values[spec.name] != nil {
            throw .usage("--\(name) is given twice; give it once")
        }
        values[spec.name, default: []].append(text)
        origins[spec.name] = .flag
    }

    private mutating func take(_ positional: [String]) throws(CommandFailure) {
        for (index, operand) in command.operands.enumerated() {
            guard index < positional.count else {
                throw .usage("\(operand.name) is missing: \(operand.help)")
            }
            operands[operand.name] = positional[index]
        }
        if positional.count > command.operands.count {
            // It may be a URL whose option is missing, with a password in it.
            let word = positional[command.operands.count]
            let shown = word.contains("://") ? "of a URL" : "'\(word)'"
            let meant = command.options.first { $0.otherName != nil && values[$0.name] == nil }
            let remedy = meant.map { "did you mean --\($0.name) \($0.placeholder ?? "")?" }
            throw .usage("unexpected word \(shown); \(remedy ?? "see --help")")
        }
    }

    private mutating func fill(from environment: [String: String]) throws(CommandFailure) {
        for spec in command.options where values[spec.name] == nil {
            for variable in spec.variables {
                guard let text = environment[variable], !text.isEmpty,
                    !EnvironmentVariables.isServiceLink(variable, text)
                else { continue }
                let texts =
                    spec.repeats
                    ? text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
                    : [text]
                for text in texts {
                    if let complaint = spec.complaint(about: text) {
                        throw .usage("environment variable \(variable) \(complaint)")
                    }
                }
                values[spec.name] = texts
                origins[spec.name] = .variable(variable)
                break
            }
        }
    }

    /// What other commands do with a setting is theirs.
    private mutating func fill(from path: String) throws(CommandFailure) {
        let file = try ConfigFile.read(path, for: settings)
        self.file = file
        for entry in file.entries where spec(entry.name) != nil {
            guard origin(entry.name) <= .file(line: 0) else { continue }
            values[entry.name, default: []].append(entry.value)
            if origins[entry.name] == nil { origins[entry.name] = .file(line: entry.line) }
        }
    }
}
