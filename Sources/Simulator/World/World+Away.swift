public import Domain

/// Phones that are switched off or without a network.
///
/// APNs keeps one push for each app on a phone, the newest, and of a channel that stores messages
/// the newest one: what came before never arrives. Source: Apple, "Sending notification requests
/// to APNs" and "Setting up broadcast push notifications".
extension World {
    /// A broadcast that waits for a phone.
    struct StoredBroadcast: Sendable {
        var broadcast: AcceptedBroadcast
        var until: Moment
    }

    public func isAway(_ id: PhoneID) -> Bool {
        indexByID[id].map { away.contains($0) } ?? false
    }

    /// - Returns: what a phone that comes back makes of what waited for it.
    public mutating func setAway(
        _ isAway: Bool, _ id: PhoneID, now: Moment
    ) throws(SimulatorError) -> [PhoneEvent] {
        guard let index = indexByID[id] else { throw .unknownPhone }
        return setAway(isAway, index: index, now: now)
    }

    mutating func setAway(_ isAway: Bool, index: Int, now: Moment) -> [PhoneEvent] {
        if isAway {
            away.insert(index)
            return []
        }
        away.remove(index)
        var events: [PhoneEvent] = []
        if let push = waiting.removeValue(forKey: index) {
            if push.isKept(at: now) {
                events += deliver(push, now: now)
            } else {
                lose(push, on: index, "it was out of date when the phone came back", now: now)
            }
        }
        // By channel, so that equal seeds give equal runs.
        let stored = (storedBroadcasts.removeValue(forKey: index) ?? [:]).sorted {
            $0.key < $1.key
        }
        for (channel, stored) in stored where now <= stored.until {
            var push = ReadPush(stored.broadcast.body)
            events += noted(
                phones[index].receive(
                    &push, channel: channel, priority: stored.broadcast.priority,
                    now: phoneTime(now)),
                on: index)
        }
        return events
    }

    /// - Returns: false when its phone is there.
    mutating func keep(_ push: AcceptedPush, now: Moment) -> Bool {
        guard let phone = phone(of: push.token), away.contains(phone) else { return false }
        guard push.expiration != 0 else {
            lose(
                push, on: phone, "the phone was away, and apns-expiration 0 keeps nothing", now: now
            )
            return true
        }
        if let older = waiting.updateValue(push, forKey: phone) {
            lose(older, on: phone, "the phone was away, and a newer push took its place", now: now)
        }
        return true
    }

    /// - Returns: false when the phone is there.
    mutating func keep(_ broadcast: AcceptedBroadcast, for phone: Int, now: Moment) -> Bool {
        guard away.contains(phone) else { return false }
        if let until = broadcast.keptUntil {
            storedBroadcasts[phone, default: [:]][broadcast.channel] =
                StoredBroadcast(broadcast: broadcast, until: until)
        } else {
            phones[phone].missed(
                broadcast.channel, "the phone was away, and the channel keeps nothing",
                at: phoneTime(now))
        }
        return true
    }

    private mutating func lose(
        _ push: AcceptedPush, on phone: Int, _ sentence: String, now: Moment
    ) {
        phones[phone].missed(push.token, sentence, at: phoneTime(now))
    }

    private func phone(of token: PushToken) -> Int? {
        switch destinations[token] {
        case .card(let phone), .start(let phone, _): phone
        case nil: nil
        }
    }
}

extension AcceptedPush {
    /// Without an expiration Apple's own storage policy counts.
    fileprivate func isKept(at now: Moment) -> Bool {
        if let expiration { return now.unixSeconds <= expiration }
        return now.seconds(since: acceptedAt) <= Limits.storedSecondsMax
    }
}
