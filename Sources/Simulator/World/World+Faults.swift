public import Domain

/// Things that go wrong on purpose, and when they begin and end.
extension World {
    /// - Throws: `unknownPhone`.
    public mutating func cause(_ fault: Fault, now: Moment) throws(SimulatorError) -> [Effect] {
        if let phone = fault.phone, indexByID[phone] == nil { throw .unknownPhone }
        guard faults.planned.count < Limits.faultsMax else { throw .tooManyFaults }
        faults.plan(fault, now: now)
        return settleFaults(at: now)
    }

    /// Ends what is in force and forgets what was to come.
    public mutating func clearFaults(now: Moment) -> [Effect] {
        apns.forgetRefusals()
        return faults.clear().flatMap { carryOut($0, now: now) }
    }

    /// What the faults bring about by now.
    mutating func settleFaults(at now: Moment) -> [Effect] {
        guard let due = faults.nextDue, due <= now else { return [] }
        return faults.settle(at: now).flatMap { carryOut($0, now: now) }
    }

    /// What the phones take for now.
    func phoneTime(_ now: Moment) -> Moment {
        phoneClockSeconds == 0 ? now : now.adding(seconds: phoneClockSeconds)
    }

    private mutating func carryOut(_ change: FaultMachine.Change, now: Moment) -> [Effect] {
        switch change {
        case .struck(let blow, let share): return strike(blow, share: share, now: now)
        case .began(.away(let whom), let share, let number):
            let taken = met(whom, share)
            takenAway[number] = Set(taken)
            return taken.flatMap { setAway(true, index: $0, now: now) }.map { .observed($0) }
        case .ended(.away, let number):
            // A phone that another fault keeps away as well stays away.
            let taken = takenAway.removeValue(forKey: number) ?? []
            let back = takenAway.values.reduce(taken) { $0.subtracting($1) }
            return back.sorted().flatMap { setAway(false, index: $0, now: now) }
                .map { .observed($0) }
        case .began(.streams, _, _), .ended(.streams, _):
            return apns.gate.boundConnections.map {
                .setStreamLimit(streamsMax, connection: $0)
            }
        case .began(.readRate, _, _), .ended(.readRate, _):
            let rate = faults.newest { if case .readRate(let rate) = $0 { rate } else { nil } }
            return [.setReadRate(rate)]
        case .began, .ended:
            goByNewest()
            return []
        }
    }

    /// Streams that a connection may open once it has shown a valid provider token.
    var streamsMax: Int {
        faults.newest { if case .streams(let count) = $0 { count } else { nil } }
            ?? Limits.streamsAfterProviderToken
    }

    /// Clocks and environment are as the newest fault in force has them.
    private mutating func goByNewest() {
        apnsClockSeconds =
            faults.newest { if case .apnsClock(let ahead) = $0 { ahead } else { nil } } ?? 0
        phoneClockSeconds =
            faults.newest { if case .phoneClock(let ahead) = $0 { ahead } else { nil } } ?? 0
        apns.environment =
            faults.newest { if case .environment(let other) = $0 { other } else { nil } }
            ?? apns.configuration.environment
    }

    private mutating func strike(
        _ blow: Fault.Blow, share: Double, now: Moment
    ) -> [Effect] {
        switch blow {
        case .refuse(let reason, let count, let service):
            apns.refuseNext(count, reason, of: service)
        case .kill(let whom, let death):
            for index in met(whom, share) { killTokens(of: phones[index], death, now: now) }
        case .dismiss(let whom):
            return met(whom, share).flatMap {
                noted(phones[$0].dismiss(nil, now: phoneTime(now)), on: $0)
            }.map { .observed($0) }
        case .back(let whom):
            return met(whom, share).flatMap { setAway(false, index: $0, now: now) }
                .map { .observed($0) }
        case .broadcast(let isEnabled): apns.setBroadcast(isEnabled: isEnabled)
        case .disconnect: return [.disconnect]
        case .goAway(let reason, let abandons): return [.goAway(reason, abandons: abandons)]
        }
        return []
    }

    /// Indices of the phones that are meant, each of them by lot.
    private mutating func met(_ whom: Fault.Whom, _ share: Double) -> [Int] {
        switch whom {
        case .phone(let id): [indexByID[id]].compactMap(\.self)
        case .everybody: phones.indices.filter { _ in faults.meets(share) }
        }
    }
}
