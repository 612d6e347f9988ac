/// The words after a subcommand, checked against its options; environment variables fill in.
public struct Arguments: Sendable {
    private(set) var operands: [String: String] = [:]
    private var values: [String: [String]] = [:]
    private var typed: Set<String> = []
    public private(set) var asksForHelp = false

    private let command: Command

    /// - Throws: `.usage` naming the word that is wrong and the remedy.
    public init(
        _ words: some Sequence<String>, for command: Command, environment: [String: String]
    ) throws(CommandFailure) {
        self.command = command
        var positional: [String] = []
        var rest = Array(words)[...]
        while let word = rest.popFirst() {
            if word == "--help" || word == "-h" {
                asksForHelp = true
            } else if word == "--" {
                positional += rest
                rest = []
            } else if word.hasPrefix("--") {
                try takeOption(word.dropFirst(2), &rest)
            } else if word.hasPrefix("-"), word != "-" {
                throw .usage("unknown option \(word); options have two dashes")
            } else {
                positional.append(word)
            }
        }
        if asksForHelp { return }
        try take(positional)
        try fill(from: environment)
    }

    public func text(_ name: String) -> String? {
        values[name]?.last ?? spec(name)?.defaultText
    }

    public func texts(_ name: String) -> [String] {
        values[name] ?? spec(name)?.defaultText.map { [$0] } ?? []
    }

    public func integer(_ name: String) -> Int? { text(name).flatMap { Int($0) } }

    public func speed(_ name: String) -> Double? { text(name).flatMap { OptionSpec.speed($0) } }

    public func place(_ name: String) -> OptionSpec.Place? {
        text(name).flatMap { OptionSpec.place($0) }
    }

    public func flag(_ name: String) -> Bool { ["1", "true"].contains(text(name)) }

    /// True when the option stands on the command line itself, not in the environment.
    public func isTyped(_ name: String) -> Bool { typed.contains(name) }

    public func operand(_ name: String) -> String { operands[name] ?? "" }

    /// - Throws: `.usage` when neither flag nor variable gives it.
    public func required(_ name: String) throws(CommandFailure) -> String {
        guard let text = text(name) else {
            throw .usage("--\(name) is missing; give it or set \(spec(name)?.variable ?? "")")
        }
        return text
    }

    private func spec(_ name: some StringProtocol) -> OptionSpec? {
        command.options.first { $0.name == name }
    }

    private mutating func takeOption(
        _ word: Substring, _ rest: inout ArraySlice<String>
    ) throws(CommandFailure) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = parts.first, let spec = spec(name) else {
            throw .usage("unknown option --\(parts.first ?? ""); see --help")
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
        typed.insert(spec.name)
    }

    private mutating func take(_ positional: [String]) throws(CommandFailure) {
        for (index, operand) in command.operands.enumerated() {
            guard index < positional.count else {
                if operand.isOptional { continue }
                throw .usage("\(operand.name) is missing: \(operand.help)")
            }
            operands[operand.name] = positional[index]
        }
        if positional.count > command.operands.count {
            // It may be a URL whose option is missing, with a password in it.
            let word = positional[command.operands.count]
            let shown = word.contains("://") ? "of a URL" : "'\(word)'"
            throw .usage("unexpected word \(shown); see --help")
        }
    }

    private mutating func fill(from environment: [String: String]) throws(CommandFailure) {
        for spec in command.options where values[spec.name] == nil {
            for variable in [spec.variable, spec.foreignVariable].compactMap({ $0 }) {
                guard let text = environment[variable], !text.isEmpty else { continue }
                let texts = spec.repeats ? text.split(separator: ",").map(String.init) : [text]
                for text in texts {
                    if let complaint = spec.complaint(about: text) {
                        throw .usage("environment variable \(variable) \(complaint)")
                    }
                }
                values[spec.name] = texts
                break
            }
        }
    }
}
