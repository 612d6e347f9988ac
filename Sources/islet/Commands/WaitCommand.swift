import EventLoop
import ServerClient
import Terminal

extension Command {
    static let wait = Command(
        path: ["wait"],
        summary: "Wait until a server answers and is healthy.",
        discussion: """
            For scripts that start one in the background. Asks /readyz again and again; exit code 1
            and the last answer when there is no good one in time.
            """,
        options: [
            OptionSpec(
                "url", .text(placeholder: "URL"), "The server.", default: "http://127.0.0.1:8080"),
            OptionSpec(
                "timeout", .integer(1...3_600), "Seconds to wait at most.", default: "120"),
        ],
        examples: ["islet wait", "islet wait --url http://127.0.0.1:9000 --timeout 10"]
    ) { (arguments) async throws(CommandFailure) in
        let server = try ServerURL(arguments.text("url") ?? "", option: "url")
        let seconds = arguments.integer("timeout") ?? 120
        let client = RemoteServer(server, key: "none", on: EventLoop(name: "wait"))
        let deadline = ContinuousClock.now + .seconds(seconds)
        let last = Lock<String?>("nothing answers")
        // Apart, so that an answer that never ends keeps nobody longer than was asked for.
        let asking = Task {
            while !Task.isCancelled {
                let complaint = await client.healthComplaint
                last.withLock { $0 = complaint }
                if complaint == nil { return }
                try? await Task.sleep(for: interval)
            }
        }
        while let complaint = last.withLock({ $0 }) {
            guard ContinuousClock.now < deadline else {
                asking.cancel()
                throw .failed("\(server.text) is not ready after \(seconds) s: \(complaint)")
            }
            try? await Task.sleep(for: interval)
        }
    }

    /// Nobody feels a wait of this much, and a server does not feel the question.
    private static let interval = Duration.milliseconds(50)
}
