/// One subcommand: what it takes, what it says of itself, and what it does.
struct Command: Sendable {
    struct Operand: Sendable {
        var name: String
        var help: String
        /// May be left out, if it is the last.
        var isOptional = false
    }

    /// For example `["keys", "create"]`.
    var path: [String]
    var summary: String
    var discussion = ""
    var operands: [Operand] = []
    var options: [OptionSpec] = []
    /// Exit codes beside the usual ones, with what they mean: `3 alerts differ`.
    var exitCodes: [String] = []
    var examples: [String]
    var run: @Sendable (Arguments) async throws(CommandFailure) -> Void

    var name: String { path.joined(separator: " ") }
}

/// How a command ends other than well.
enum CommandFailure: Error, Hashable {
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

    /// What there is to say.
    var text: String {
        switch self {
        case .usage(let text), .failed(let text), .interrupted(let text): text
        case .reported, .found, .notSeen: ""
        }
    }

    var exitCode: Int32 {
        switch self {
        case .usage, .notSeen: 2
        case .failed, .reported: 1
        case .found: 3
        case .interrupted: 130
        }
    }
}
