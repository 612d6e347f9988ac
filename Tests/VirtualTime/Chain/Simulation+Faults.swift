import Delivery
import Domain
import EventStore

extension Simulation {
    /// Around every statement of every node.
    var gate: MemoryDatabase.Gate {
        { [self] (point) async throws(EventStoreError) in
            switch point {
            case .before:
                let isStalled = thread.chance(oneIn: weather.statementStalls)
                await thread.sleep(thread.seconds(isStalled ? 0.5...6 : 0.001...0.03))
                if thread.chance(oneIn: weather.statementFails) {
                    throw .unavailable(detail: "the weather")
                }
            case .after:
                if thread.chance(oneIn: weather.answerLost) {
                    throw .unavailable(detail: "the weather took the answer")
                }
            }
        }
    }

    func transport(_ wire: Wire) -> PushTransport {
        mutation?.transport(wire.transport) ?? wire.transport
    }

    /// With a bell that wakes whoever waits for news, and a note of what is known to have been
    /// written down.
    func store(_ bare: EventStore) -> EventStore {
        let memory = mutation?.store(bare) ?? bare
        var store = memory
        store.deliveries.record = { [self] (claim, results) async throws(EventStoreError) in
            try await memory.deliveries.record(claim, results)
            for result in results { noteRecorded(result, claim) }
        }
        store.log.append = { [self] (tenant, events) async throws(EventStoreError) in
            defer { announce() }
            return try await memory.log.append(tenant, events)
        }
        store.log.appendEach = { [self] (tenant, events) async throws(EventStoreError) in
            defer { announce() }
            return try await memory.log.appendEach(tenant, events)
        }
        store.projections.foldNext = { [self] (limit, fold) async throws(EventStoreError) in
            let count = try await memory.projections.foldNext(min(limit, 4), fold)
            if count > 0 { announce() }
            return count
        }
        store.registrations.change = {
            [self] (tenant, activity, request, rules)
                async throws(EventStoreError) in
            defer { announce() }
            return try await memory.registrations.change(tenant, activity, request, rules)
        }
        return store
    }

    private func noteRecorded(_ result: PhoneResult, _ claim: DeliveryClaim) {
        var isUnfit = false
        if case .unfit = result.result { isUnfit = true }
        guard isUnfit || result.acceptedVersion != nil else { return }
        let card = database.look { tables in
            tables[claim].cards.first { $0.id == result.registrationID }
        }
        // An answer about a registration that was made again is void.
        guard let card, card.state.tokenVersion == result.tokenVersion else { return }
        guard !isUnfit else {
            book.unfit[card.token.hex] = (card.state.tokenVersion, claim.timestamp)
            return
        }
        book.recorded.insert(.init(tokenHex: card.token.hex, timestamp: claim.timestamp))
    }

    /// Most news are heard.
    private func announce() {
        for node in nodes where !thread.chance(oneIn: 10) { thread.ring(node.bell) }
    }

    func crash() {
        let place = thread.below(nodes.count)
        guard nodes[place].isAlive, !nodes[place].isCut else { return }
        if thread.chance(oneIn: 3) {
            log("node \(place) loses its session")
            nodes[place].cut()
        } else {
            log("node \(place) dies")
            nodes[place].kill()
        }
        Task { [self] in
            await thread.sleep(thread.seconds(0.5...20))
            nodes[place].kill()
            guard !isOver else { return }
            log("node \(place) starts again")
            startNode(in: place)
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
