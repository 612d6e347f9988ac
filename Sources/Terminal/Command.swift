/// One subcommand: what it takes, what it says of itself, and what it does.
public struct Command: Sendable {
    public struct Operand: Sendable {
        public var name: String
        public var help: String

        public init(name: String, help: String) {
            self.name = name
            self.help = help
        }
    }

    /// For example `["keys", "create"]`.
    public var path: [String]
    public var summary: String
    public var discussion: String
    public var operands: [Operand]
    public var options: [OptionSpec]
    /// Exit codes beside the usual ones, with what they mean: `3 alerts differ`.
    public var exitCodes: [String]
    public var examples: [String]
    public var run: @Sendable (Arguments) async throws(CommandFailure) -> Void

    public init(
        path: [String], summary: String, discussion: String = "", operands: [Operand] = [],
        options: [OptionSpec] = [], exitCodes: [String] = [], examples: [String],
        run: @escaping @Sendable (Arguments) async throws(CommandFailure) -> Void
    ) {
        self.path = path
        self.summary = summary
        self.discussion = discussion
        self.operands = operands
        self.options = options
        self.exitCodes = exitCodes
        self.examples = examples
        self.run = run
    }

    public var name: String { path.joined(separator: " ") }
}

/// How a command ends other than well.
public enum CommandFailure: Error, Hashable {
    /// Exit code 2.
    case usage(String)
    /// Exit code 1.
    case failed(String)
    /// Exit code 1; everything was said already.
    case reported
    /// Exit code 3; what was looked for was found, and everything was said already.
    case found
    /// Exit code 2; what was asked could not be looked at, and everything was said already.
    case notSeen
    /// Exit code 130, as a shell gives for Ctrl-C.
    case interrupted(String)

    /// What there is still to say.
    public var text: String {
        switch self {
        case .usage(let text), .failed(let text), .interrupted(let text): text
        case .reported, .found, .notSeen: ""
        }
    }

    static let usageCode: Int32 = 2

    public var exitCode: Int32 {
        switch self {
        case .usage, .notSeen: Self.usageCode
        case .failed, .reported: 1
        case .found: 3
        case .interrupted: 130
        }
    }
}
