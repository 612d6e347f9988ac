import EventLoop
import Hosting
import Terminal

/// What `islet serve` is given.
func serveArguments(
    _ words: [String] = [], _ environment: [String: String] = [:]
) throws(CommandFailure) -> Arguments {
    let command = Command(
        path: ["serve"], summary: "", options: Server.options, examples: [], run: { _ in })
    return try Arguments(words, for: command, environment: environment)
}

/// What the log says, each line as `<priority>message field=value`, without a time.
final class LoggedLines: Sendable {
    private let lines = Lock<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    var log: Log {
        Log(lowest: .debug, format: .journald) { [lines] line in
            lines.withLock { $0.append(line) }
            return true
        }
    }
}
