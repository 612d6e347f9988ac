import Foundation

/// A file of settings: one `name = value` on a line, with the names of options.
///
/// Nothing is quoted, escaped or continued, so that what stands there is what counts. A name that
/// no option has is an error: a slip would leave a setting out without a word.
public struct ConfigFile: Sendable {
    /// One line that sets something.
    public struct Entry: Hashable, Sendable {
        public var name: String
        public var value: String
        public var line: Int
    }

    public let path: String
    public let entries: [Entry]

    /// The option that names it.
    public static let option = OptionSpec(
        "config", .text(placeholder: "FILE"),
        "File with settings, one name = value on a line, where the names are those of options of "
            + "islet serve. Flags beat the environment, and that beats the file.")

    private static let bytesMax = 65_536

    /// - Parameter options: those that a file may set.
    /// - Throws: `.usage` with everything that is wrong with it, each by its line.
    public static func read(
        _ path: String, for options: [OptionSpec]
    ) throws(CommandFailure) -> ConfigFile {
        let data = try GivenFile.read(path, option: option.name, bytesMax: bytesMax)
        guard let text = String(bytes: data, encoding: .utf8) else {
            throw .usage("--config: \(path) must be text in UTF-8")
        }
        let (found, complaints) = parse(text, options)
        guard complaints.isEmpty else {
            throw .usage(
                complaints.map { "\(path):\($0.line): \($0.what)" }.joined(separator: "\n"))
        }
        if found.contains(where: { name in
            options.contains { $0.name == name.name && $0.isSecret }
        }) {
            SecretFile.warnIfOpen(path, option: option.name)
        }
        return ConfigFile(path: path, entries: found)
    }

    static func parse(
        _ text: String, _ options: [OptionSpec]
    ) -> (entries: [Entry], complaints: [(line: Int, what: String)]) {
        var entries: [Entry] = []
        var complaints: [(line: Int, what: String)] = []
        // "\r\n" is one character, and not the same as "\n".
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            let words = line.trimmingCharacters(in: .whitespaces)
            if words.isEmpty || words.hasPrefix("#") { continue }
            let parts = words.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            let number = index + 1
            guard parts.count == 2 else {
                complaints.append((number, "this is not name = value, and no comment, which has #"))
                continue
            }
            let entry = Entry(name: parts[0], value: parts[1], line: number)
            if let complaint = complaint(about: entry, after: entries, options) {
                complaints.append((number, complaint))
            } else {
                entries.append(entry)
            }
        }
        return (entries, complaints)
    }

    /// Never repeats a value: it may be a secret.
    private static func complaint(
        about entry: Entry, after entries: [Entry], _ options: [OptionSpec]
    ) -> String? {
        guard let spec = options.first(where: { $0.name == entry.name }) else {
            let plain = entry.name.drop { $0 == "-" }.lowercased().replacing("_", with: "-")
            let question = Suggestion.question(about: plain, among: options.map(\.name))
            return "islet serve has no setting '\(entry.name)'"
                + (question.isEmpty ? "; see islet config table" : question)
        }
        if !spec.repeats, let before = entries.first(where: { $0.name == entry.name }) {
            return "\(entry.name) stands on line \(before.line) already; leave one of them"
        }
        if entry.value.isEmpty {
            return "\(entry.name) has no value; leave the line out for the default"
        }
        if entry.value.hasPrefix("\"") || entry.value.hasPrefix("'") {
            return "\(entry.name): write the value without quotes"
        }
        return spec.complaint(about: entry.value).map { "\(entry.name) \($0)" }
    }
}
