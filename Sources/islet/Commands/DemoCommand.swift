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
        options: [
            OptionSpec(
                "kind", .choice(DemoCast.Kind.allCases.map(\.rawValue)),
                "What to play; everything side by side without it.", repeats: true),
            OptionSpec("speed", .speed, "How much faster than it happened.", default: "60x"),
            OptionSpec(
                "port", .integer(1...65535), "Port for the server, if it is free.",
                default: "8080"),
            OptionSpec("stay", .flag, "Keep serving until Ctrl-C, also without a terminal."),
        ],
        examples: [
            "islet demo", "islet demo --kind match --speed 200x",
            "islet demo --kind coffee --kind bike",
            "islet demo --stay",
        ]
    ) { (arguments) async throws(CommandFailure) in
        let named = Set(arguments.texts("kind").compactMap(DemoCast.Kind.init))
        try await Demo.run(
            Demo.Plan(
                kinds: DemoCast.Kind.allCases.filter { named.isEmpty || named.contains($0) },
                speed: arguments.speed("speed") ?? 60, port: arguments.integer("port") ?? 8080,
                stays: arguments.flag("stay")))
    }
}
