public import Domain

/// Phones that are switched off or without a network.
///
/// APNs keeps one push for each app on a phone, the newest, and of a channel that stores messages
/// the newest one: what came before never arrives. Source: Apple, "Sending notification requests
/// to APNs" and "Setting up broadcast push notifications".
extension World {
    /// A push that waits for a phone.
    struct WaitingPush: Sendable {
        var push: AcceptedPush
        /// Of the card that had its token when APNs accepted it.
        var activity: ActivityID
    }

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
        for number in takenAway.keys { takenAway[number]?.remove(index) }
        var events: [PhoneEvent] = []
        if let kept = waiting.removeValue(forKey: index) {
            if !kept.push.isKept(at: now) {
                lose(kept, on: index, Self.outOfDate, now: now)
            } else if destinations[kept.push.token] == nil {
                lose(kept, on: index, "its token was replaced while the phone was away", now: now)
            } else {
                events += deliver(kept.push, now: now)
            }
        }
        // By channel, so that equal seeds give equal runs.
        let stored = (storedBroadcasts.removeValue(forKey: index) ?? [:]).sorted {
            $0.key < $1.key
        }
        for (channel, stored) in stored {
            guard now <= stored.until else {
                phones[index].missed(channel, Self.outOfDate, at: phoneTime(now))
                continue
            }
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
        guard let phone = destinations[push.token]?.phone, away.contains(phone) else {
            return false
        }
        let kept = WaitingPush(push: push, activity: phones[phone].activity(of: push.token))
        guard push.expiration != 0 else {
            lose(kept, on: phone, Self.expiredAtOnce, now: now)
            return true
        }
        if let older = waiting.updateValue(kept, forKey: phone) {
            lose(older, on: phone, Self.replaced, now: now)
        }
        return true
    }

    /// - Returns: false when the phone is there.
    mutating func keep(_ broadcast: AcceptedBroadcast, for phone: Int, now: Moment) -> Bool {
        guard away.contains(phone) else { return false }
        let (channel, time) = (broadcast.channel, phoneTime(now))
        if let until = broadcast.keptUntil {
            let kept = StoredBroadcast(broadcast: broadcast, until: until)
            if storedBroadcasts[phone, default: [:]].updateValue(kept, forKey: channel) != nil {
                phones[phone].missed(channel, Self.replaced, at: time)
            }
        } else {
            let sentence =
                broadcast.storage == .newest
                ? Self.expiredAtOnce : "the phone was away, and the channel keeps nothing"
            phones[phone].missed(channel, sentence, at: time)
        }
        return true
    }

    private static let expiredAtOnce = "the phone was away, and apns-expiration 0 keeps nothing"
    private static let replaced = "the phone was away, and a newer push took its place"
    private static let outOfDate = "it was out of date when the phone came back"

    private mutating func lose(
        _ kept: WaitingPush, on phone: Int, _ sentence: String, now: Moment
    ) {
        phones[phone].missed(kept.activity, sentence, at: phoneTime(now))
    }
}

extension AcceptedPush {
    /// Without an expiration Apple's own storage policy counts.
    fileprivate func isKept(at now: Moment) -> Bool {
        if let expiration { return now.unixSeconds <= expiration }
        return now.seconds(since: acceptedAt) <= Limits.storedSecondsMax
    }
}
