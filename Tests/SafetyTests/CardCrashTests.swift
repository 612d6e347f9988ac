import Domain
import Foundation
import Postgres
import Simulator
import TestSupport
import Testing

/// The server is killed while cards are started by push, restarted before their limit, updated by
/// broadcast and ended; the phones go on living.
///
/// One seed gives one order of blows, though not their exact moments. `make soak` strikes longer.
@Suite(.serialized)
struct `No phone shows a card twice or too long when` {
    /// When a blow falls.
    fileprivate enum Occasion: CaseIterable {
        /// A fresh card has begun, and the answer to its start is on its way.
        case restart
        case channel
        case start
        case end
        case any
    }

    private static let environment = ProcessInfo.processInfo.environment
    private static let blows = Int(environment["ISLET_SOAK_BLOWS"] ?? "") ?? 4
    private static let seed = UInt64(environment["ISLET_SOAK_SEED"] ?? "") ?? 20_260_501

    @Test(.timeLimit(.minutes(120)))
    func `the server is killed again and again between a push and its record`() async throws {
        let place = try await Stage.make()
        let crowd = try await Crowd.make(directory: place.directory)
        let store = ["--database-url", place.postgres.url]
        let key = try await place.makeKey()
        let audit = try await CardAudit(url: place.postgres.url, tenant: Stage.tenant)
        try await audit.putPolicy()
        try await audit.prepend(orders: Self.blows)
        let server = ServeProcess(store: store + crowd.options, directory: place.directory)
        try await server.start()
        let caller = Caller(base: server.base, key: key)
        async let apps: Void = crowd.live(with: caller)
        try await crowd.putStartTokens(caller)
        for blow in 0..<Self.blows { try await crowd.show("old-\(blow)", caller) }

        var evening = Evening()
        var chance = TestSupport.SeededGenerator(seed: Self.seed)
        for blow in 0..<Self.blows {
            let occasion = Occasion.allCases[blow % Occasion.allCases.count]
            let falling = Self.wait(for: occasion, crowd, &chance)
            let before = evening
            async let acting: Evening = before.act(blow, crowd, caller)
            await falling.value
            await server.kill()
            try await server.start()
            evening = try await acting
            try await audit.letHoursPass()
        }
        for order in evening.live { try await caller.report(assigned: "Last", order) }
        try await audit.waitUntilSettled(crowd)
        try await Self.check(evening, crowd, audit, store, place)
        await server.stop()
        await crowd.running.stop()
        await apps
        await audit.close()
        await place.end()
    }

    private static func check(
        _ evening: Evening, _ crowd: Crowd, _ audit: CardAudit, _ store: [String], _ place: Stage
    ) async throws {
        for order in evening.live {
            try await audit.check(order, isOver: false, shows: "Last", crowd)
        }
        for order in evening.ended {
            try await audit.check(order, isOver: true, shows: "", crowd)
        }
        #expect(crowd.refusals == [])
        let known = try await audit.channels()
        let made = Set(crowd.running.simulator.channels().map(\.id))
        #expect(known.subtracting(made) == [], "channels that Apple does not have")
        let swept = try await ServeProcess.run(
            [
                "channels", "sweep", "--yes", "--bundle-id", crowd.running.bundleID,
                "--environment", "sandbox",
            ] + store + crowd.options,
            directory: place.directory)
        #expect(swept.code == 0, "\(swept.output)")
        let left = Set(crowd.running.simulator.channels().map(\.id))
        #expect(left == known, "a channel has leaked")
        let (started, unknown) = (
            try await audit.count("started"), try await audit.count("unknown")
        )
        #expect(started > 0)
        print(
            "\(blows) blows with seed \(seed): \(started) cards started and \(unknown) of which "
                + "nobody knows; \(made.count - known.count) orphaned channels of \(made.count)")
    }

    /// Watches from now on, whatever happens before the caller waits.
    private static func wait(
        for occasion: Occasion, _ crowd: Crowd, _ chance: inout TestSupport.SeededGenerator
    ) -> Task<Void, Never> {
        let events = crowd.running.simulator.events()
        let channels = crowd.running.simulator.channels().count
        // Half of the blows fall at once, before the answer is on the wire.
        let pause = Duration.microseconds(max(0, Int.random(in: -20_000...20_000, using: &chance)))
        let whenever = Duration.milliseconds(Int.random(in: 0...700, using: &chance))
        let patience = ContinuousClock.now + .seconds(3)
        let watching = Task {
            switch occasion {
            case .any: try? await Task.sleep(for: whenever)
            case .channel:
                while crowd.running.simulator.channels().count <= channels,
                    ContinuousClock.now < patience, !Task.isCancelled
                {
                    try? await Task.sleep(for: .milliseconds(1))
                }
            case .restart, .start, .end:
                for await event in events where occasion.isReached(by: event) { break }
            }
            try? await Task.sleep(for: pause)
        }
        return Task {
            let timer = Task {
                try? await Task.sleep(until: patience)
                watching.cancel()
            }
            await watching.value
            timer.cancel()
        }
    }
}

extension `No phone shows a card twice or too long when`.Occasion {
    fileprivate func isReached(by event: PhoneEvent) -> Bool {
        let isOld = event.entry.activity.rawValue.hasPrefix("old")
        return switch self {
        case .restart: event.entry.outcome == .started && isOld
        case .start: event.entry.outcome == .started && !isOld
        case .end: event.entry.outcome == .ended
        case .channel, .any: false
        }
    }
}

/// Orders that come and go.
private struct Evening: Sendable {
    var live: [String] = []
    var ended: [String] = []

    /// A few orders more, and news of those that are under way; they end in the round after their
    /// own, or the fourth after it.
    func act(_ round: Int, _ crowd: Crowd, _ caller: Caller) async throws -> Evening {
        var next = self
        let channel = "v1/activities/heard-\(round)/channels/\(crowd.running.bundleID)"
        try await caller.report(assigned: "Round \(round)", "old-\(round)")
        try await caller.ask("PUT", channel, #"{"environment":"sandbox"}"#)
        for order in ["heard-\(round)", "started-\(round)"] {
            try await caller.ask(
                "PUT", "v1/activities/\(order)/audience", #"{"topics":["\#(Crowd.topic)"]}"#)
            try await caller.report("OrderPlaced", order, Caller.placed)
        }
        try await crowd.follow("heard-\(round)", caller)
        for order in live {
            let age = round - (order.split(separator: "-").last.flatMap { Int($0) } ?? round)
            if age == 4 || (age == 1 && round.isMultiple(of: 2)) {
                try await caller.report("OrderDelivered", order)
                next.ended.append(order)
                next.live.removeAll { $0 == order }
            } else {
                try await caller.report(assigned: "Round \(round)", order)
            }
        }
        next.live += ["old-\(round)", "heard-\(round)", "started-\(round)"]
        return next
    }
}

extension Caller {
    fileprivate func report(assigned driver: String, _ order: String) async throws {
        try await report("DriverAssigned", order, #"{"driverName":"\#(driver)"}"#)
    }
}
