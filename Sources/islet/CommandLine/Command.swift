/// One subcommand: what it takes, what it says of itself, and what it does.
struct Command: Sendable {
    struct Operand: Sendable {
        var name: String
        var help: String
    }

    /// For example `["keys", "create"]`.
    var path: [String]
    var summary: String
    var discussion = ""
    /// All are required.
    var operands: [Operand] = []
    var options: [OptionSpec] = []
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

    var exitCode: Int32 {
        switch self {
        case .usage: 2
        case .failed, .reported: 1
        }
    }
}
