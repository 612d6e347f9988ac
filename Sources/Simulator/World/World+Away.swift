public import Domain

/// Phones that are switched off or without a network: APNs keeps the newest push for each of their
/// tokens, for as long as it was told to.
extension World {
    public func isAway(_ id: PhoneID) -> Bool {
        indexByID[id].map { away.contains($0) } ?? false
    }

    /// - Returns: what a phone that comes back makes of the pushes that waited for it.
    public mutating func setAway(
        _ isAway: Bool, _ id: PhoneID, now: Moment
    ) throws(SimulatorError) -> [PhoneEvent] {
        guard let index = indexByID[id] else { throw .unknownPhone }
        if isAway {
            away.insert(index)
            return []
        }
        away.remove(index)
        let mine = waiting.values.filter { phone(of: $0.token) == index }
        var events: [PhoneEvent] = []
        // By token among equals, so that equal seeds give equal runs.
        for push in mine.sorted(by: {
            ($0.acceptedAt, $0.token.hex) < ($1.acceptedAt, $1.token.hex)
        }) {
            waiting[push.token] = nil
            if let expiration = push.expiration, expiration < now.unixSeconds { continue }
            events += deliver(push, now: now)
        }
        return events
    }

    /// - Returns: false when its phone is there.
    mutating func keep(_ push: AcceptedPush) -> Bool {
        guard let phone = phone(of: push.token), away.contains(phone) else { return false }
        // Zero: one attempt.
        if push.expiration != 0 { waiting[push.token] = push }
        return true
    }

    private func phone(of token: PushToken) -> Int? {
        switch destinations[token] {
        case .card(let phone), .start(let phone, _): phone
        case nil: nil
        }
    }
}
