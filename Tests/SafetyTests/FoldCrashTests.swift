import EventStore
import Foundation
import Postgres
import TestSupport
import Testing

/// The process that folds is killed at random moments, and the database with it, while events come
/// in.
///
/// One seed gives one order of blows, though not their exact moments. `make soak` strikes longer,
/// at a log that takes a rebuild several commits.
@Suite(.serialized)
struct `Nothing is folded twice or left out when` {
    private enum Victim: CaseIterable {
        case rebuild
        case follower
        /// One of Postgres' processes: all of them then start again by themselves.
        case backend
        case rebuildTwice
        case otherFollower
        case postmaster
    }

    private static let environment = ProcessInfo.processInfo.environment
    private static let isLong = environment["ISLET_SOAK"] == "1"
    private static let blows = Int(environment["ISLET_SOAK_BLOWS"] ?? "") ?? 4
    private static let seed = UInt64(environment["ISLET_SOAK_SEED"] ?? "") ?? 20_260_501
    /// A rebuild commits every fifty thousand.
    private static let earlyEvents = isLong ? 230_000 : 1_500

    @Test(.timeLimit(.minutes(120)))
    func `followers, rebuilds and Postgres are killed again and again under load`() async throws {
        let place = try await Stage.make()
        let store = ["--database-url", place.postgres.url]
        // It folds too, for what a node records itself it folds from memory.
        let intake = ServeProcess(
            store: store, directory: place.directory, roles: ["api", "projector"])
        try await intake.start()
        let key = try await place.makeKey()
        let audit = try await FoldAudit(url: place.postgres.url, tenant: Stage.tenant)
        try await audit.prepend(events: Self.earlyEvents)
        let followers = (0..<2).map { _ in
            ServeProcess(store: store, directory: place.directory, roles: ["projector"])
        }
        for follower in followers { try await follower.start() }
        let load = Load(base: intake.base, key: key, isMixed: true)
        async let writing: Void = load.run(writers: 6, seed: Self.seed)

        var field = Field(place: place, store: store, followers: followers, audit: audit)
        var chance = SeededGenerator(seed: Self.seed)
        for blow in 0..<Self.blows {
            let isAlive = await load.waitForMore(Int.random(in: 1...30, using: &chance))
            #expect(isAlive, "no event was acknowledged for a minute before blow \(blow)")
            if !isAlive { break }
            try await field.strike(Victim.allCases[blow % Victim.allCases.count], &chance)
        }
        let goesOn = await load.waitForMore(50)
        #expect(goesOn, "no event was acknowledged for a minute after the last blow")
        load.stop()
        await writing
        let isFolded = await audit.waitUntilFolded()
        #expect(isFolded, "the checkpoint does not reach the log's end")
        // The clock too, whose events would come between the two looks.
        for follower in followers { await follower.stop() }
        await intake.stop()
        await field.noteResumption()
        try await Self.check(load, place, store, audit, resumptions: field.resumptions)
        await audit.close()
        await place.end()
    }

    private static func check(
        _ load: Load, _ place: Stage, _ store: [String], _ audit: FoldAudit, resumptions: Int
    ) async throws {
        let count = try await Audit.check(load, url: place.postgres.url, tenant: Stage.tenant)
        #expect(count > blows * 5)
        if isLong { #expect(resumptions > 0, "no rebuild was killed between two of its commits") }
        // What a killed rebuild has left is taken up once more, and then there is a fresh one.
        for _ in 0..<2 {
            let before = try await audit.snapshots()
            let parkedBefore = try await audit.parked()
            #expect(before.count > 8)
            let rebuilt = try await ServeProcess.run(
                ["projections", "rebuild", "--tenant", Stage.tenant] + store,
                directory: place.directory)
            #expect(rebuilt.code == 0, "\(rebuilt.output)")
            let after = try await audit.snapshots()
            let parkedAfter = try await audit.parked()
            #expect(before == after)
            #expect(parkedBefore == parkedAfter)
        }
        let folded = try await audit.checkLedger()
        #expect(folded.parked > 0, "nothing that cannot be folded was sent")
        let rebuild = await audit.status?.rebuild
        #expect(rebuild == nil)
        let verdict = try await ServeProcess.run(
            ["replay", "verify"] + store, directory: place.directory)
        #expect(verdict.code == 0, "\(verdict.output)")
        print(
            "\(blows) blows with seed \(seed): \(folded.decisions) decisions and \(folded.parked) "
                + "parked events of \(count + earlyEvents); \(resumptions) rebuilds resumed in "
                + "their midst")
    }
}

extension `Nothing is folded twice or left out when` {
    /// Where the blows fall.
    private struct Field {
        let place: Stage
        let store: [String]
        let followers: [ServeProcess]
        let audit: FoldAudit
        /// Rebuilds that were killed and went on from where they had been, not from the beginning.
        var resumptions = 0
        /// What a killed rebuild has left after some of its commits.
        private var left: RebuildProgress?
        /// What a whole one takes.
        private var rebuildMillis = 1_000

        init(place: Stage, store: [String], followers: [ServeProcess], audit: FoldAudit) {
            self.place = place
            self.store = store
            self.followers = followers
            self.audit = audit
        }

        mutating func strike(_ victim: Victim, _ chance: inout SeededGenerator) async throws {
            await noteResumption()
            let pause = Duration.milliseconds(Int.random(in: 0...rebuildMillis, using: &chance))
            switch victim {
            case .rebuild: try await killRebuild(after: pause)
            case .rebuildTwice:
                try await killRebuild(after: pause)
                try await killRebuild(after: pause / 2)
                await measureRebuild()
            case .follower, .otherFollower:
                // One folds live or works on what the last blow left of a rebuild.
                let follower = followers[victim == .follower ? 0 : 1]
                await follower.kill()
                try await follower.start()
            case .backend:
                let choice = Int.random(in: 0..<1_000, using: &chance)
                async let rebuild: Void = rebuildToTheEnd()
                try await Task.sleep(for: pause)
                place.killBackend(choice: choice)
                await rebuild
            case .postmaster:
                async let rebuild: Void = rebuildToTheEnd()
                try await Task.sleep(for: pause)
                try await place.killPostmaster()
                await rebuild
            }
        }

        private mutating func killRebuild(after pause: Duration) async throws {
            _ = try await ServeProcess.run(
                ["projections", "rebuild", "--tenant", Stage.tenant] + store,
                directory: place.directory, killingAfter: pause)
            await noteResumption()
            if let rebuild = await audit.status?.rebuild, rebuild.position > 0 { left = rebuild }
        }

        /// Looks what has become of the one that was left: another command or a follower goes on
        /// with it, perhaps to its end.
        mutating func noteResumption() async {
            guard let left, let status = await audit.status else { return }
            if let rebuild = status.rebuild, rebuild.generation == left.generation {
                #expect(rebuild.position >= left.position, "a rebuild went back")
                guard rebuild.position > left.position else { return }
                resumptions += 1
            } else if status.generation == left.generation {
                resumptions += 1
            }
            self.left = nil
        }

        /// It may fail, for Postgres is killed meanwhile.
        private func rebuildToTheEnd() async {
            _ = try? await ServeProcess.run(
                ["projections", "rebuild", "--tenant", Stage.tenant] + store,
                directory: place.directory)
        }

        private mutating func measureRebuild() async {
            let start = ContinuousClock.now
            await rebuildToTheEnd()
            rebuildMillis = max(200, Int((ContinuousClock.now - start) / .milliseconds(1)))
        }
    }
}
