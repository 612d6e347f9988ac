import Domain
import EventLoop
import Foundation
import Glibc
import Simulator

/// The composition root of `islet demo`: a server, an APNs simulator, two phones and real input.
struct Demo {
    struct Plan: Sendable {
        /// Played side by side.
        var kinds: [DemoCast.Kind]
        var speed: Double
        var port: Int
        /// Keep serving after the story until interrupted, whether or not there is a terminal.
        var stays: Bool
    }

    private let plan: Plan
    private let directory: String
    private let loop = EventLoop(name: "demo")
    private let screen = DemoScreen(
        now: WallClock.now,
        paint: Paint(
            nil, isTerminal: isatty(1) == 1, environment: ProcessInfo.processInfo.environment))

    static func run(_ plan: Plan) async throws(CommandFailure) {
        let demo = Demo(plan: plan, directory: try temporaryDirectory())
        let signals = Signals.stream([SIGINT, SIGTERM])
        let result = await withTaskGroup(of: Result<Void, CommandFailure>?.self) { group in
            group.addTask { await demo.result() }
            group.addTask {
                for await _ in signals { return .failure(.failed("interrupted")) }
                return nil
            }
            var result: Result<Void, CommandFailure>?
            while result == nil, let next = await group.next() { result = next }
            group.cancelAll()
            // The story stops its server before it ends.
            while await group.next() != nil {}
            return result
        }
        try? FileManager.default.removeItem(atPath: demo.directory)
        try result?.get()
    }

    private func result() async -> Result<Void, CommandFailure> {
        do throws(CommandFailure) {
            try await tell()
            return .success(())
        } catch { return .failure(error) }
    }

    private func tell() async throws(CommandFailure) {
        screen.step("Starting the APNs simulator (HTTP/2 over TLS)")
        var configuration = SimulatorConfiguration(now: WallClock.now)
        // Two phones stand for many people, who would follow one or two activities each.
        configuration.rules.activitiesMax = 20
        // Their clocks run fast, and with them the budgets of priority 10.
        configuration.rules.updates = nil
        let simulator = try await SimulatorSetup.start(
            configuration, loop: loop, credentialsDirectory: directory)
        let port = FreePort.choose(preferring: plan.port)
        let server = DemoServer(
            arguments: serverArguments(port, simulator), logFile: "\(directory)/server.log",
            loop: loop, notice: { [screen] in screen.warning($0) })
        screen.step("Starting `islet serve` with a private Postgres of its own")
        try await server.start()
        let outcome: Result<Void, CommandFailure>
        do throws(CommandFailure) {
            try await play(server, simulator, port: port)
            outcome = .success(())
        } catch { outcome = .failure(error) }
        await server.stop()
        await simulator.stop()
        try outcome.get()
    }

    private func play(
        _ server: DemoServer, _ simulator: RunningSimulator, port: Int
    ) async throws(CommandFailure) {
        let url = "http://127.0.0.1:\(port)"
        let client = try await connect(to: port)
        let player = DemoPlayer(client: client, simulator: simulator, screen: screen)
        screen.step("Server process \(await server.processID) answers on \(url)")
        screen.step("Dashboard: \(url)/dashboard, key in \(keyFile)")
        let begin = WallClock.now()
        var fixtures: [Fixture] = []
        for name in plan.kinds.flatMap(\.fixtures) { fixtures.append(try Fixture.load(name)) }
        let reports = Fixture.sideBySide(fixtures, begin: begin, speed: plan.speed)
        let matches = Set(reports.filter { $0.type.hasPrefix("Match.") }.map(\.activity))
        screen.beginStory(at: begin, speed: plan.speed, played: matches)
        screen.step("Playing \(reports.count) reports at \(plan.speed.formatted())x")
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
        try await player.play(reports, speed: plan.speed)
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

    private func conclude(
        _ simulator: RunningSimulator, behind: [String], restarts: Int
    ) async throws(CommandFailure) {
        screen.step("What the phones show at the end")
        for phone in simulator.phones() where DemoFans.isShown(phone.name) {
            for card in phone.activities {
                let shown =
                    card.shows.map { screen.card($0, of: card.activity) }
                    ?? "nothing: the card is gone"
                Console.print("\(phone.name)  \(shown)  (\(card.alerts) alerts)")
            }
        }
        let database = ["--data-dir", "\(directory)/data"]
        screen.step("islet replay verify --decisions")
        Console.print(try await run(["replay", "verify", "--decisions"] + database))
        let late = simulator.phones().reduce(0) { $0 + countLate(in: simulator.log(of: $1.id)) }
        if restarts > 0 { screen.step("The server was started again \(restarts) times") }
        guard behind.isEmpty else {
            throw .failed(
                "not every phone shows the final state: \(behind.joined(separator: ", "))")
        }
        let results = Set(simulator.phones().flatMap(\.activities).compactMap(DemoCast.result))
        let final = results.isEmpty ? "" : ": " + results.sorted().joined(separator: "; ")
        screen.step("Every phone shows the final state\(final)")
        screen.step("\(late) pushes came too late to be shown")
    }

    /// A broadcast that follows the start of its cards in one round has the timestamp of the start:
    /// phones pass it over, and have missed nothing.
    private func countLate(in log: [PhoneLogEntry]) -> Int {
        var newest: [ActivityID: Int64] = [:]
        return log.count { entry in
            guard let timestamp = entry.timestamp else { return false }
            let known = newest[entry.activity] ?? .min
            newest[entry.activity] = max(known, timestamp)
            return entry.outcome == .outdated && timestamp < known
        }
    }

    private func run(_ arguments: [String]) async throws(CommandFailure) -> String {
        try await Program.output(arguments, directory: directory, on: loop)
    }

    /// Until Ctrl-C if it was asked for, until a key is pressed if there is somebody who can, or
    /// not at all.
    private func stay(_ url: String) async {
        let key = (try? String(contentsOfFile: keyFile, encoding: .utf8)) ?? ""
        if plan.stays {
            screen.step("Still serving \(url)/dashboard, key in \(keyFile); Ctrl-C ends it")
            while !Task.isCancelled { try? await Task.sleep(for: .seconds(1)) }
        } else if let terminal = KeyTerminal() {
            screen.step("Look around: \(url)/dashboard")
            screen.step("The key to sign in: \(key)")
            screen.step("Press any key to end it")
            await terminal.keyPressed()
        }
    }

    private var keyFile: String { "\(directory)/dashboard-key" }

    private func connect(to port: Int) async throws(CommandFailure) -> IsletClient {
        let deadline = ContinuousClock.now + .seconds(60)
        let anonymous = IsletClient(port: port, key: "none", on: loop)
        while await !anonymous.isHealthy {
            guard ContinuousClock.now < deadline, !Task.isCancelled else {
                let log = try? String(contentsOfFile: "\(directory)/server.log", encoding: .utf8)
                throw .failed("the server did not start; its log:\n\(log ?? "")")
            }
            try? await Task.sleep(for: .milliseconds(50))
        }
        screen.step("islet keys create --tenant demo")
        let key = try await run([
            "keys", "create", "--tenant", "demo", "--data-dir", "\(directory)/data",
        ])
        try SecretFile.write(key, to: keyFile)
        screen.step(
            "Putting policies in which seconds pass \(plan.speed.formatted()) times as fast")
        let admin = try await run([
            "keys", "create", "--tenant", "demo", "--scope", "admin", "--data-dir",
            "\(directory)/data",
        ])
        do throws(IsletClient.Failure) {
            try await DemoPolicies(speed: plan.speed)
                .put(with: IsletClient(port: port, key: admin, on: loop))
        } catch { throw .failed("the policies could not be put: \(error)") }
        return IsletClient(port: port, key: key, on: loop)
    }

    private func serverArguments(_ port: Int, _ simulator: RunningSimulator) -> [String] {
        [
            "serve", "--port", "\(port)", "--data-dir", "\(directory)/data", "--apns-url",
            "https://127.0.0.1:\(simulator.apnsPort)", "--apns-channels-url",
            "https://127.0.0.1:\(simulator.managementPort)", "--apns-key-file",
            SimulatorSetup.keyFile(in: directory), "--apns-key-id", simulator.keyID,
            "--apns-team-id", simulator.teamID, "--apns-authority-file",
            SimulatorSetup.authorityFile(in: directory),
        ]
    }

    private static func temporaryDirectory() throws(CommandFailure) -> String {
        // To be passed, because as root the private Postgres runs as another user.
        try PrivateDirectory("islet-demo", canBePassed: true).path
    }
}
