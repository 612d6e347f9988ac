extension Command {
    static let demo = Command(
        path: ["demo"],
        summary: "Play a real match and several orders through a whole system of its own.",
        discussion: """
            Starts a server with a private Postgres, an APNs simulator and two simulated phones,
            reports the events over HTTP, and shows each event, the decision with its reason, and
            what each phone shows. Ends by itself; exit code 1 when a phone shows anything but the
            final state. Kill the server process in the middle: it is started again, and nothing is
            lost.
            """,
        options: [
            OptionSpec(
                "kind", .choice(DemoCast.Kind.allCases.map(\.rawValue)), "What to play.",
                default: DemoCast.Kind.all.rawValue),
            OptionSpec("speed", .speed, "How much faster than it happened.", default: "60x"),
            OptionSpec(
                "port", .integer(1...65535), "Port for the server, if it is free.",
                default: "8080"),
            OptionSpec("stay", .flag, "Keep serving after the story until Ctrl-C."),
        ],
        examples: ["islet demo", "islet demo --kind Match --speed 200x", "islet demo --stay"]
    ) { (arguments) async throws(CommandFailure) in
        try await Demo.run(
            Demo.Plan(
                kind: arguments.text("kind").flatMap(DemoCast.Kind.init) ?? .all,
                speed: arguments.speed("speed") ?? 60, port: arguments.integer("port") ?? 8080,
                stays: arguments.flag("stay")))
    }
}
