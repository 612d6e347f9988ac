import Delivery
import Domain
import EventStore
import TestSupport

extension Simulation {
    /// Around every statement of a node.
    func gate(of standstill: Standstill) -> MemoryDatabase.Gate {
        { [self] (point) async throws(EventStoreError) in
            if case .before = point { standstill.reached(.statement) }
            await standstill.pass()
            // Without a word until the node's patience ends.
            if thread.chance(oneIn: 2 * weather.statementHangs) {
                await standstill.beDeaf(for: thread.seconds(2...35))
                await standstill.pass()
                throw .outcomeUnknown(detail: "the weather says nothing")
            }
            switch point {
            case .before:
                let isStalled = thread.chance(oneIn: weather.statementStalls)
                await thread.sleep(thread.seconds(isStalled ? 0.5...6 : 0.001...0.03))
                await standstill.pass()
                if thread.chance(oneIn: weather.statementFails) {
                    throw thread.chance(oneIn: 2)
                        ? .unavailable(detail: "the weather")
                        : .outcomeUnknown(detail: "the weather, before it was done")
                }
            case .after:
                if thread.chance(oneIn: weather.answerLost) {
                    throw .outcomeUnknown(detail: "the weather took the answer")
                }
            }
        }
    }

    func transport(_ wire: Wire) -> PushTransport {
        mutation?.transport(wire.transport) ?? wire.transport
    }

    /// With a bell that wakes tasks that wait for news, and a note of what is known to have been
    /// written down.
    func store(_ bare: EventStore, _ standstill: Standstill) -> EventStore {
        var store = mutation?.store(bare) ?? bare
        store.deliveries = WatchedDeliveries(
            base: store.deliveries, simulation: self, standstill: standstill)
        store.log = AnnouncedLog(base: store.log, simulation: self)
        store.projections = AnnouncedProjections(
            base: store.projections, simulation: self, standstill: standstill)
        store.registrations = AnnouncedRegistrations(base: store.registrations, simulation: self)
        return store
    }

    fileprivate func noteRecorded(_ result: PhoneResult, _ claim: DeliveryClaim) {
        var isUnfit = false
        if case .unfit = result.effect { isUnfit = true }
        guard isUnfit || result.acceptedVersion != nil else { return }
        let card = database.look { tables in
            tables[claim].cards.first { $0.id == result.registrationID }
        }
        // An answer about a registration that was made again is void.
        guard let card, card.state.tokenVersion == result.tokenVersion else { return }
        guard !isUnfit else {
            // So is one about a card whose place another one has taken meanwhile.
            if card.closedAt != nil { return }
            book.unfit[card.token.hex] = (card.state.tokenVersion, claim.timestamp)
            return
        }
        book.recorded.insert(.init(tokenHex: card.token.hex, timestamp: claim.timestamp))
    }

    /// Most news are heard.
    fileprivate func announce() {
        for node in nodes where !thread.chance(oneIn: 10) { thread.ring(node.bell) }
    }

    /// In the midst of something, or at any moment.
    func crash() {
        let place = thread.below(nodes.count)
        let node = nodes[place]
        guard node.isAlive, !node.isCut, !node.standstill.isStill, !node.standstill.isArmed else {
            return
        }
        let blow = thread.pick([freeze, freeze, freeze, cut, kill])
        guard thread.chance(oneIn: 2) else { return blow(place) }
        let occasion = thread.pick(Standstill.Occasion.allCases)
        let count = 1 + thread.below(4)
        node.standstill.arm(occasion, count) { blow(place) }
    }

    private func cut(_ place: Int) {
        log("node \(place) loses its session")
        nodes[place].cut()
        startAgainLater(place)
    }

    private func kill(_ place: Int) {
        log("node \(place) dies")
        nodes[place].kill()
        startAgainLater(place)
    }

    private func startAgainLater(_ place: Int) {
        Task { [self] in
            await thread.sleep(thread.seconds(0.5...20))
            nodes[place].kill()
            guard !isOver, !isSettingBack else { return }
            log("node \(place) starts again")
            startNode(in: place)
        }
    }

    /// The node does nothing for a while, and goes on as if nothing had been. What it owns must be
    /// free before that.
    private func freeze(_ place: Int) {
        let node = nodes[place]
        let seconds = thread.seconds(thread.pick([1...9, 11...30, 20...150]))
        log("node \(place) stands still for \(Int(seconds)) s")
        node.standstill.begin(for: seconds)
        Task { [self] in
            await thread.sleep(15)
            guard node.isAlive, seconds > 15 else { return }
            if database.look({ !$0.ownsNothing(node.session) }) {
                find("node \(place) stands still and owns what others wait for")
            }
        }
    }

    /// Asks until it has an answer, now this node and now that one.
    func insist<R>(
        _ body: (EventStore) async throws(EventStoreError) -> R
    ) async -> R? {
        while !isOver {
            do throws(EventStoreError) { return try await body(thread.pick(nodes).store) } catch {
                note(error)
                await thread.sleep(thread.seconds(0.2...4))
            }
        }
        return nil
    }
}

private struct WatchedDeliveries: ForwardingDeliveryStore {
    let base: any DeliveryStore
    let simulation: Simulation
    let standstill: Standstill

    func record(
        _ claim: DeliveryClaim, _ results: [PhoneResult]
    ) async throws(EventStoreError) {
        try await base.record(claim, results)
        for result in results { simulation.noteRecorded(result, claim) }
    }

    func page(
        _ claim: DeliveryClaim, _ onlyOwed: Bool, _ now: Moment, _ after: Int64, _ limit: Int
    ) async throws(EventStoreError) -> [Registration] {
        let page = try await base.page(claim, onlyOwed, now, after, limit)
        standstill.reached(.page)
        await standstill.pass()
        return page
    }
}

private struct AnnouncedLog: ForwardingEventLog {
    let base: any EventLog
    let simulation: Simulation

    func append(
        _ tenant: TenantID, _ events: [NewEvent], isAtomic: Bool
    ) async throws(EventStoreError) -> [AppendResult] {
        defer { simulation.announce() }
        return try await base.append(tenant, events, isAtomic: isAtomic)
    }
}

private struct AnnouncedProjections: ForwardingProjectionStore {
    let base: any ProjectionStore
    let simulation: Simulation
    let standstill: Standstill

    func foldNext(
        _ tenant: TenantID?, _ limit: Int, _ fold: @Sendable (FoldBatch) -> FoldResult
    ) async throws(EventStoreError) -> FoldedBatch? {
        let folded = try await base.foldNext(tenant, min(limit, 4)) { batch in
            standstill.reached(.fold)
            return fold(batch)
        }
        if folded != nil { simulation.announce() }
        return folded
    }
}

private struct AnnouncedRegistrations: ForwardingRegistrationStore {
    let base: any RegistrationStore
    let simulation: Simulation

    func change(
        _ tenant: TenantID, _ activity: ActivityID, _ request: CardRequest, _ rules: CardRules
    ) async throws(EventStoreError) -> (change: CardChange, id: Int64?) {
        defer { simulation.announce() }
        return try await base.change(tenant, activity, request, rules)
    }
}
