import Delivery
import Domain
import EventStore
import Pipeline
import Simulator

/// A process of Islet from its start to its end: the real projector, clock and sender over a
/// session in memory.
// @unchecked: everything is touched on the virtual thread only.
final class SimulatedNode: @unchecked Sendable {
    private(set) var isAlive = true
    /// Its session broke: what it began goes on, and it can write nothing down.
    private(set) var isCut = false
    let session: Int
    let store: EventStore
    let bell = VirtualThread.Bell()
    let standstill: Standstill
    private let simulation: Simulation
    private let projector: Projector
    private let clock: ClockRunner
    private let sender: Sender
    /// How much its clock is ahead of the database's, in seconds.
    private let skew: Double

    /// With small pages, so that rounds are cut short and overtaken in the middle of them.
    init(_ simulation: Simulation) {
        self.simulation = simulation
        let thread = simulation.thread
        let standstill = Standstill(thread)
        let database = simulation.database
        let (session, store) = database.makeNode(
            gate: simulation.gate(of: standstill),
            isCurrent: { standstill.isCurrent($0.claimedAt) })
        standstill.onLost = { database.expireNode(session) }
        self.standstill = standstill
        self.session = session
        let mutated = simulation.store(store, standstill)
        self.store = mutated
        skew = thread.seconds(-1...1)
        let wire = Wire(simulation)
        wire.session = session
        // Its batches take no time, so that none is cut.
        let began = ContinuousClock.now
        projector = Projector(store: mutated, now: { began }, report: { simulation.note($0) })
        clock = ClockRunner(store: mutated, now: { thread.now }, report: { simulation.note($0) })
        sender = Sender(
            store: mutated, transport: simulation.transport(wire), broadcasts: wire.broadcasts,
            now: { thread.now },
            pagePhones: 1 + thread.below(2), makePushID: { simulation.makeUUID() },
            report: { simulation.note($0) })
        wire.node = self
    }

    /// Its loops, as the program runs them.
    func begin() {
        loop { [self] in
            await projector.drain()
            return nil
        }
        loop { [self] in
            let now = simulation.thread.now.adding(seconds: skew)
            _ = try? await clock.tick(at: now)
            return (try? await store.clock.nextDue(now))?.adding(seconds: -skew)
        }
        loop { [self] in
            await sender.keepChannels()
            return nil
        }
        loop { [self] in
            await sender.drain()
            return try? await store.deliveries.nextDue()
        }
    }

    func kill() {
        isAlive = false
        simulation.database.endNode(session)
        simulation.thread.ring(bell)
    }

    func cut() {
        isCut = true
        standstill.cut()
        simulation.database.endNode(session)
    }

    /// Looks when something is due, when the bell rings, and now and then anyhow: the less
    /// often, the longer nothing has happened.
    /// - Parameter iteration: gives when something is due next.
    private func loop(_ iteration: @escaping @Sendable () async -> Moment?) {
        let thread = simulation.thread
        Task { [self] in
            var patience = 1.0
            while isAlive {
                guard isAlive else { return }
                let due = await iteration()
                guard isAlive else { return }
                let pause = min(patience, due?.seconds(since: thread.now) ?? patience)
                let hasRung = await thread.sleep(max(0.05, pause), or: bell)
                await standstill.pass()
                patience = hasRung ? 1 : min(patience * 2, 600)
            }
        }
    }
}
