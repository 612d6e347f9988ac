import API
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
        let last = Lock("nothing answers")
        // It is left behind when the time is up: an answer may never end.
        let isReady = await firstOf(withinSeconds: Double(seconds), otherwise: false) {
            while let complaint = await client.healthComplaint, !Task.isCancelled {
                last.withLock { $0 = complaint }
                try? await Task.sleep(for: interval)
            }
            return true
        }
        guard isReady == true else {
            let complaint = last.withLock { $0 }
            throw .failed("\(server.text) is not ready after \(seconds) s: \(complaint)")
        }
    }

    /// Nobody feels a wait of this much, and a server does not feel the question.
    private static let interval = Duration.milliseconds(50)
}
