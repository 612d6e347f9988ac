import Domain
import EventLoop
import Foundation
import Glibc
import Hosting
import Simulator
public import Terminal

/// The composition root of `islet demo`: a server, an APNs simulator, two phones and real input.
public struct Demo: Sendable {
    public static let options = [
        OptionSpec(
            "kind", .choice(DemoCast.Kind.allCases.map(\.rawValue)),
            "What to play; everything side by side without it.", repeats: true),
        OptionSpec("speed", .speed, "How much faster than it happened.", default: "60x"),
        OptionSpec(
            "port", .integer(1...65535), "Port for the server, if it is free.",
            default: "8080"),
        OptionSpec("stay", .flag, "Keep serving until Ctrl-C, also without a terminal."),
    ]

    /// Played side by side.
    let kinds: [DemoCast.Kind]
    let speed: Double
    let port: Int
    /// Keep serving after the story until interrupted, whether or not there is a terminal.
    let stays: Bool
    let directory: String
    let loop = EventLoop(name: "demo")
    let screen = DemoScreen()

    public static func run(_ arguments: Arguments) async throws(CommandFailure) {
        let named = Set(arguments.texts("kind").compactMap(DemoCast.Kind.init))
        // To be passed, because as root the private Postgres runs as another user.
        let directory = try PrivateDirectory("islet-demo", canBePassed: true)
        let demo = Demo(
            kinds: DemoCast.Kind.allCases.filter { named.isEmpty || named.contains($0) },
            speed: arguments.speed("speed") ?? 60, port: arguments.integer("port") ?? 8080,
            stays: arguments.flag("stay"), directory: directory.path)
        let signals = Signals.stream([SIGINT, SIGTERM])
        let story = Task {
            await Result { () async throws(CommandFailure) in try await demo.tell() }
        }
        let interruption = Task {
            for await _ in signals { story.cancel() }
        }
        // The story stops its server before it ends.
        let result = await story.value
        interruption.cancel()
        directory.remove()
        if story.isCancelled { throw .failed("interrupted") }
        try result.get()
    }

    private func tell() async throws(CommandFailure) {
        screen.step("Starting the APNs simulator (HTTP/2 over TLS)")
        var configuration = SimulatorConfiguration(now: WallClock.now)
        // Two phones stand for many people, who would follow one or two activities each.
        configuration.rules.activitiesMax = 20
        // Their clocks run fast, and with them the budgets of priority 10.
        configuration.rules.updates = nil
        let running = try await SimulatorSetup.start(
            configuration, loop: loop, credentialsDirectory: directory)
        let port = FreePort.choose(preferring: self.port)
        let server = DemoServer(
            arguments: serverArguments(port, running), logFile: "\(directory)/server.log",
            loop: loop, screen: screen)
        screen.step("Starting `islet serve` with a private Postgres of its own")
        try await server.start()
        let outcome = await Result { () async throws(CommandFailure) in
            try await play(server, running.simulator, port: port)
        }
        await server.stop()
        await running.stop()
        try outcome.get()
    }

    private func play(
        _ server: DemoServer, _ simulator: Simulator, port: Int
    ) async throws(CommandFailure) {
        let url = "http://127.0.0.1:\(port)"
        let client = try await connect(to: port)
        let player = DemoPlayer(client: client, simulator: simulator, screen: screen)
        screen.step("Server process \(await server.processID) answers on \(url)")
        screen.step("Dashboard: \(url)/dashboard, key in \(keyFile)")
        let begin = WallClock.now()
        var fixtures: [Fixture] = []
        for name in kinds.flatMap(\.fixtures) { fixtures.append(try Fixture.load(name)) }
        let reports = Fixture.sideBySide(fixtures, begin: begin, speed: speed)
        let matches = Set(reports.filter { $0.type.hasPrefix("Match.") }.map(\.activity))
        screen.beginStory(at: begin, speed: speed, played: matches)
        screen.step("Playing \(reports.count) reports at \(speed.formatted())x")
        let starts = simulator.events()
        let followers = Task {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await player.followDecisions() }
                group.addTask { await player.followStarts(starts) }
                group.addTask { [screen] in
                    for await event in simulator.events() { screen.observed(event) }
                }
            }
        }
        defer { followers.cancel() }
        try await player.play(reports, speed: speed)
        let behind = await settle(player)
        followers.cancel()
        await player.showDecisions()
        await player.explain()
        try await conclude(simulator, behind: behind, restarts: await server.restarts)
        await stay(url)
    }

    /// Waits until every phone shows what the server has folded, half a minute at most.
    private func settle(_ player: DemoPlayer) async -> [String] {
        let deadline = ContinuousClock.now + .seconds(30)
        var behind = await player.cardsBehind()
        while !behind.isEmpty, ContinuousClock.now < deadline, !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(200))
            behind = await player.cardsBehind()
        }
        return behind
    }
}
