public import Domain

/// One `--flag` of a command. Each can also be given as an environment variable `ISLET_…`.
public struct OptionSpec: Sendable {
    public enum Value: Sendable {
        case flag
        case text(placeholder: String)
        case integer(ClosedRange<Int>)
        /// A moment with a zone, in RFC 3339, or a whole number from 1.
        case place(number: String)
        case choice([String])
        /// A factor such as `60x` or `0.5`.
        case speed
    }

    public let name: String
    public let value: Value
    public let help: String
    public let defaultText: String?
    /// May be given several times; all values count.
    public let repeats: Bool
    /// A second environment variable that others use for the same thing.
    public let foreignVariable: String?
    /// As other commands call such a thing. Anyone who types that here, or the value alone, reads
    /// what it is called.
    public let otherName: String?
    /// Another option without which this one says nothing.
    public let needs: String?
    /// Another option that says the opposite.
    public let excludes: String?
    /// What it says, or the content of the file that it names, is read again after SIGHUP.
    public let isReloadable: Bool
    /// May have a password, and is never shown.
    public let isSecret: Bool

    public init(
        _ name: String, _ value: Value, _ help: String, default defaultText: String? = nil,
        repeats: Bool = false, foreignVariable: String? = nil, alsoCalled otherName: String? = nil,
        needs: String? = nil, excludes: String? = nil, isReloadable: Bool = false,
        isSecret: Bool = false
    ) {
        self.name = name
        self.value = value
        self.help = help
        self.defaultText = defaultText
        self.repeats = repeats
        self.foreignVariable = foreignVariable
        self.otherName = otherName
        self.needs = needs
        self.excludes = excludes
        self.isReloadable = isReloadable
        self.isSecret = isSecret
    }

    /// What every command with output for programs calls it.
    public static let json = OptionSpec(
        "json", .flag, "Print one JSON document instead of text.")

    public static func tenant(_ help: String) -> OptionSpec {
        OptionSpec("tenant", .text(placeholder: "NAME"), help)
    }

    /// Its environment variable, and the one that others use for the same thing.
    public var variables: [String] { [variable, foreignVariable].compactMap(\.self) }

    /// `--data-dir` is `ISLET_DATA_DIR`.
    public var variable: String {
        "ISLET_" + name.uppercased().replacing("-", with: "_")
    }

    public var placeholder: String? {
        switch value {
        case .flag: nil
        case .text(let placeholder): placeholder
        case .integer: "N"
        case .place(let number): "\(number)|TIME"
        case .choice(let options): options.joined(separator: "|")
        case .speed: "FACTOR"
        }
    }

    /// What may be given; nil where only the help can say it.
    public var values: String? {
        switch value {
        case .flag: Self.flagWords.joined(separator: ", ")
        case .integer(let range): "\(range.lowerBound) to \(range.upperBound)"
        case .choice(let options): options.joined(separator: ", ")
        case .text, .place, .speed: nil
        }
    }

    private static let flagWords = ["1", "true", "0", "false"]

    /// - Returns: what is wrong with the text and what would be right; nil when it is fine.
    public func complaint(about text: String) -> String? {
        switch value {
        case .flag:
            Self.flagWords.contains(text) ? nil : "must be 1, true, 0 or false"
        case .text: text.isEmpty ? "must not be empty" : nil
        case .integer(let range):
            Int(text).map(range.contains) == true
                ? nil : "must be a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .place(let number):
            Self.place(text) == nil
                ? "must be a \(number.lowercased()) from 1, or a time with a zone such as "
                    + "2026-05-01T12:00:00Z" : nil
        case .choice(let options):
            options.contains(text) ? nil : "must be one of \(options.joined(separator: ", "))"
        case .speed:
            Self.speed(text) == nil ? "must be \(Self.speedExpectation)" : nil
        }
    }

    /// Of a log or of an activity: what comes after it can still be counted.
    public static let positionMax: Int64 = 9_007_199_254_740_991

    public static func place(_ text: String) -> HistoryPlace? {
        if let number = Int64(text) { return 1...positionMax ~= number ? .number(number) : nil }
        return Moment(rfc3339: text).map { .moment($0) }
    }

    public static func speed(_ text: String) -> Double? {
        guard let factor = Double(decimal: text.hasSuffix("x") ? text.dropLast() : text[...]),
            speeds.contains(factor)
        else { return nil }
        return factor
    }

    /// A story of a day takes three years, or no time at all: nobody can mean more.
    private static let speeds = 0.001...1_000_000.0

    public static let speedExpectation = "a factor such as 60x, from 0.001x to 1000000x"
}
