import Terminal

@testable import islet

/// What somebody types behind `islet`, with a database that nobody answers for: a test of what is
/// refused must not begin to work when it is not refused.
struct CommandWords {
    let words: [String]

    init(_ words: [String]) { self.words = words }

    /// - Parameter line: words with a space between them.
    init(_ line: String) { self.init(line.split(separator: " ").map(String.init)) }

    func arguments() throws(CommandFailure) -> Arguments {
        try Arguments(
            words.dropFirst(command.path.count), for: command,
            environment: ["ISLET_DATABASE_URL": "postgresql://127.0.0.1:1/none"])
    }

    /// - Returns: how the command ends other than well.
    func refusal() async -> CommandFailure? {
        do throws(CommandFailure) {
            try await command.run(try arguments())
            return nil
        } catch { return error }
    }

    private var command: Command {
        get throws(CommandFailure) {
            let meant = Islet.commandSet.commands.filter { words.starts(with: $0.path) }
            guard let longest = meant.max(by: { $0.path.count < $1.path.count }) else {
                throw .failed("the test names no command")
            }
            return longest
        }
    }
}
