import Domain
import EventLoop
import Foundation
import HTTP
import Postgres
@testable import Simulator
import TestSupport
import Testing

/// A node is stopped (SIGSTOP) in the middle of its work: its sockets stay open, and nothing tells
/// the others. They still take its work over, and what it does when it goes on harms nobody.
@Suite(.serialized)
struct `While a node stands still` {
    private static let most = FreezeAudit.takeOverSecondsMax

    @Test(.timeLimit(.minutes(3)))
    func `another one sends, and its late pushes move no phone backwards`() async throws {
        let place = try await Stage.make()
        let crowd = try await Crowd.make(directory: place.directory)
        let key = try await place.makeKey()
        let cards = try await CardAudit(url: place.postgres.url, tenant: Stage.tenant)
        try await cards.putPolicy()
        let audit = try await FreezeAudit(place)
        let nodes = Self.nodes(place, crowd.options)
        try await nodes.old.start()
        let caller = Caller(base: nodes.old.base, key: key)
        try await caller.report("OrderPlaced", "pizza", Caller.placed)
        try await crowd.show("pizza", caller)
        try await caller.report(assigned: "First", "pizza")
        _ = try await audit.seconds(until: "the first driver is shown") {
            crowd.shows("First", "pizza")
        }
        _ = try await audit.seconds(until: "its round is settled") {
            try await audit.count("delivery_state WHERE claimed_by IS NOT NULL") == 0
        }

        // Its pushes are on their way for a while, so that it is stopped between them and their
        // record.
        try crowd.running.simulator.cause(
            Fault(.condition(.delay(Latency(p50Seconds: 2, p99Seconds: 2)))))
        try await caller.report(assigned: "Second", "pizza")
        _ = try await audit.seconds(until: "the round is under way") {
            try await audit.count("delivery_state WHERE claimed_by = 'old'") == 1
        }
        await nodes.old.freeze()
        let frozenAt = ContinuousClock.now
        crowd.running.simulator.clearFaults()
        try await nodes.new.start()
        let other = Caller(base: nodes.new.base, key: key)
        try await other.report(assigned: "Third", "pizza")
        _ = try await audit.seconds(until: "the third driver is shown") {
            crowd.shows("Third", "pizza")
        }
        let seconds = (ContinuousClock.now - frozenAt) / .seconds(1)
        #expect(seconds < Self.most)
        _ = try await audit.seconds(until: "the new round is settled") {
            try await audit.count("decision WHERE settled_at IS NULL AND verdict <> 'hold'") == 0
        }
        let settled = try await audit.settlements()
        await nodes.old.thaw()
        try await Task.sleep(for: .seconds(3))
        // Nothing was settled twice.
        #expect(try await audit.settlements() == settled)
        #expect(crowd.shows("Third", "pizza"))
        // It works again.
        try await caller.report(assigned: "Fourth", "pizza")
        _ = try await audit.seconds(until: "the fourth driver is shown") {
            crowd.shows("Fourth", "pizza")
        }
        try await audit.check(place)
        crowd.checkOrder(of: "pizza")
        let log = await nodes.new.log
        #expect(log.contains("took over"), "\(log)")
        #expect(log.contains("from=old") && log.contains("node=new"), "\(log)")
        #expect(await nodes.old.log.contains("this node stood still"))
        print("a frozen sender's phones waited \(seconds) s")
        await nodes.end()
        await crowd.running.stop()
        await cards.close()
        await audit.audited.close()
        await place.end()
    }

    @Test(.timeLimit(.minutes(3)))
    func `another one folds, and the clock goes on`() async throws {
        let place = try await Stage.make()
        let key = try await place.makeKey()
        let cards = try await CardAudit(url: place.postgres.url, tenant: Stage.tenant)
        // Its eight hours are over in a moment, which only a clock can say.
        let (age, promised) = (8.0 * 3_600 - 25, -7.0 * 3_600)
        try await cards.prepend(
            orders: 1, ageSeconds: age, placed: Caller.placed(promisedInSeconds: promised))
        let audit = try await FreezeAudit(place)
        // What waits to be folded for long makes no node unwell here.
        let patience = ["--lag-seconds-max", "86400"]
        let nodes = Self.nodes(place, patience, roles: ["projector"])
        let intake = ServeProcess(
            store: ["--database-url", place.postgres.url] + patience, directory: place.directory,
            roles: ["api"])
        try await intake.start()
        let caller = Caller(base: intake.base, key: key)
        try await caller.report("OrderPlaced", "pizza", Caller.placed)
        try await nodes.old.start()
        _ = try await audit.seconds(until: "it folds") { try await audit.isFolded() }

        // It is to stand still between its look at the log and its commit. So it is kept waiting
        // where it locks the checkpoint, and stopped there: its session goes on, and waits for it.
        try await audit.freezeOutsideTransactions(nodes.old, named: "old")
        try await caller.report(assigned: "First", "pizza")
        let blocking = try await Connection.open(
            ConnectionConfiguration(url: place.postgres.url), loop: EventLoop(name: "blocking"))
        try await blocking.script("BEGIN; LOCK TABLE log_head IN ACCESS EXCLUSIVE MODE")
        await nodes.old.thaw()
        _ = try await audit.seconds(until: "it looks at the log") {
            try await audit.sessions(
                of: "old", where: "wait_event_type = 'Lock' AND query LIKE '%SKIP LOCKED%'") > 0
        }
        await nodes.old.freeze()
        let frozenAt = ContinuousClock.now
        try await blocking.script("COMMIT")
        _ = try await audit.seconds(until: "it has locked the checkpoint") {
            try await audit.sessions(of: "old", where: "state = 'idle in transaction'") > 0
        }
        try await nodes.new.start()
        #expect(try await !audit.isFolded())
        _ = try await audit.seconds(until: "another one folds") { try await audit.isFolded() }
        let seconds = (ContinuousClock.now - frozenAt) / .seconds(1)
        #expect(seconds < Self.most)
        // Not before the eight hours were over.
        _ = try await audit.seconds(until: "the clock has spoken") {
            try await audit.count("event WHERE type = 'ActivityClock.TimeLimitReached'") > 0
        }
        #expect((ContinuousClock.now - frozenAt) / .seconds(1) < 25 + Self.most)
        await nodes.old.thaw()
        try await caller.report(assigned: "Second", "pizza")
        _ = try await audit.seconds(until: "all is folded") { try await audit.isFolded() }
        let verdict = try await ServeProcess.run(
            ["replay", "verify", "--decisions", "--database-url", place.postgres.url],
            directory: place.directory)
        #expect(verdict.code == 0, "\(verdict.output)")
        print("a frozen projector's events waited \(seconds) s")
        await blocking.close()
        await nodes.end()
        await intake.stop()
        await cards.close()
        await audit.audited.close()
        await place.end()
    }

    @Test(.timeLimit(.minutes(3)))
    func `another one tells webhooks`() async throws {
        let place = try await Stage.make()
        let key = try await place.makeKey()
        let hook = try await Hook.start()
        let options = try await hook.add(to: place)
        let audit = try await FreezeAudit(place)
        let nodes = Self.nodes(place, options)
        try await nodes.old.start()
        let caller = Caller(base: nodes.old.base, key: key)
        try await caller.report("OrderPlaced", "pizza", Caller.placed)
        _ = try await audit.seconds(until: "the webhook is being told") { hook.count == 1 }
        await nodes.old.freeze()
        let frozenAt = ContinuousClock.now
        try await nodes.new.start()
        try await Caller(base: nodes.new.base, key: key).report(assigned: "First", "pizza")
        _ = try await audit.seconds(until: "the webhook is told by another") {
            hook.bodies.contains { $0.contains("First") }
        }
        let seconds = (ContinuousClock.now - frozenAt) / .seconds(1)
        let log = await nodes.new.log
        #expect(seconds < Self.most, "\(log)")
        _ = try await audit.seconds(until: "that is written down") {
            try await audit.count("webhook WHERE lease IS NOT NULL") == 0
        }
        let told = try await audit.count("webhook WHERE delivered > 0")
        let before = hook.count
        #expect(told == 1)
        await nodes.old.thaw()
        try await Task.sleep(for: .seconds(3))
        #expect(hook.count == before, "it was told once more by who stood still")
        print("a frozen node's webhook waited \(seconds) s")
        await nodes.end()
        await hook.stop()
        await audit.audited.close()
        await place.end()
    }

    private static func nodes(
        _ place: Stage, _ options: [String] = [],
        roles: [String] = ["api", "projector", "sender"]
    ) -> Nodes {
        func node(_ name: String) -> ServeProcess {
            ServeProcess(
                store: ["--database-url", place.postgres.url, "--node-name", name] + options,
                directory: place.directory, roles: roles)
        }
        return Nodes(old: node("old"), new: node("new"))
    }
}

/// One that is stopped, and one that takes over.
private struct Nodes {
    let old: ServeProcess
    let new: ServeProcess

    func end() async {
        await old.kill()
        await new.kill()
    }
}

extension Caller {
    fileprivate func report(assigned driver: String, _ order: String) async throws {
        try await report("DriverAssigned", order, #"{"driverName":"\#(driver)"}"#)
    }
}

extension Crowd {
    /// On every phone.
    fileprivate func shows(_ words: String, _ order: String) -> Bool {
        Self.names.allSatisfy { name in
            cards(order, on: name).contains { card in
                let state = (try? JSONEncoder().encode(card.contentState)) ?? Data()
                return String(decoding: state, as: UTF8.self).contains(words)
            }
        }
    }

    /// What phones have shown came in the order of its timestamps.
    fileprivate func checkOrder(of order: String) {
        for (name, phone) in phones {
            let shown = running.simulator.log(of: phone).filter {
                $0.activity.rawValue == order && $0.outcome == .shown
            }.compactMap(\.timestamp)
            #expect(shown == Set(shown).sorted(), "\(name)")
        }
    }
}

/// A merchant's server that answers its first message late.
private final class Hook: Sendable {
    private let seen: Lock<[String]>
    private let server: HTTP1Server
    private let port: Int

    static func start() async throws -> Hook {
        let loop = EventLoop(name: "hook")
        let seen = Lock<[String]>([])
        let server = HTTP1Server(loop: loop, host: "127.0.0.1", port: 0) { request in
            let number = seen.withLock { seen in
                seen.append(String(decoding: request.body, as: UTF8.self))
                return seen.count
            }
            if number == 1 { try? await Task.sleep(for: .seconds(2)) }
            return Response(status: 204)
        }
        return Hook(seen, server, port: try await server.start())
    }

    private init(_ seen: Lock<[String]>, _ server: HTTP1Server, port: Int) {
        (self.seen, self.server, self.port) = (seen, server, port)
    }

    var bodies: [String] { seen.withLock { $0 } }
    var count: Int { bodies.count }

    /// - Returns: what a node needs to tell it.
    func add(to place: Stage) async throws -> [String] {
        let file = place.directory + "/master.key"
        let isWritten = FileManager.default.createFile(
            atPath: file, contents: Data(String(repeating: "5c", count: 32).utf8),
            attributes: [.posixPermissions: 0o600])
        try #require(isWritten)
        let options = ["--master-key-file", file, "--webhook-allow-private"]
        let added = try await ServeProcess.run(
            [
                "webhooks", "add", "--url", "http://127.0.0.1:\(port)/hook", "--tenant",
                Stage.tenant, "--database-url", place.postgres.url,
            ] + options, directory: place.directory)
        #expect(added.code == 0, "\(added.output)")
        return options
    }

    func stop() async { await server.drain(within: .milliseconds(100)) }
}
