import Demo
import Terminal

extension Command {
    static let demo = Command(
        path: ["demo"],
        summary: "Play a real match, orders and more through a whole system of its own.",
        discussion: """
            Starts a server with a private Postgres, an APNs simulator and two simulated phones,
            reports the events over HTTP, and shows each event, the decision with its reason, and
            what each phone shows. The apps speak for themselves with tickets; one is given another
            push token at half-time, and one card is swiped away. In the end the server is asked why
            it did what was remarkable. On a terminal it then goes on serving its dashboard until a
            key is pressed; anywhere else it ends. Exit code 1 when a phone shows anything but the
            final state. Kill the server process in the middle: it is started again, and nothing
            is lost.
            """,
        options: Demo.options,
        examples: [
            "islet demo", "islet demo --kind match --speed 200x",
            "islet demo --kind coffee --kind bike",
            "islet demo --stay",
        ]
    ) { (arguments) async throws(CommandFailure) in try await Demo.run(arguments) }
}
