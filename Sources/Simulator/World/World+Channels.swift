public import Domain
public import HTTP

/// Broadcasts, channels and the phones that listen.
extension World {
    /// Answers one broadcast and hands an accepted one at once to the phones that listen.
    /// - Parameter refusal: instead of an acceptance.
    public mutating func broadcast(
        _ request: Request, refusedFor refusal: APNsRefusal? = nil, now: Moment
    ) -> (answer: APNsAnswer, effects: [Effect]) {
        apns.lot = refusal
        let result = apns.broadcast(request, now: apnsTime(now))
        var effects = streams(result.opensStreams, request)
        if let accepted = result.accepted {
            effects += deliver(accepted, now: now).map { .observed($0) }
        }
        return (result.answer, effects)
    }

    /// Answers one call that manages channels.
    /// - Parameter refusal: instead of a success.
    public mutating func manage(
        _ request: Request, refusedFor refusal: APNsRefusal? = nil, now: Moment
    ) -> (answer: APNsAnswer, effects: [Effect]) {
        apns.lot = refusal
        let result = apns.manage(request, now: apnsTime(now))
        return (result.answer, streams(result.opensStreams, request))
    }

    /// Phones with a running card that listens to the channel.
    public func listenerCount(of channel: String) -> Int {
        listeners[channel, default: []].count { index in
            phones[index].cards.contains { $0.listens(to: channel) }
        }
    }

    func streams(_ areOpened: Bool, _ request: Request) -> [Effect] {
        areOpened ? [.setStreamLimit(streamsMax, connection: request.connectionID)] : []
    }

    private mutating func deliver(_ accepted: AcceptedBroadcast, now: Moment) -> [PhoneEvent] {
        guard let known = listeners.removeValue(forKey: accepted.channel) else { return [] }
        var push = ReadPush(accepted.body)
        var events: [PhoneEvent] = []
        var listening: Set<Int> = []
        // Sorted, so that equal seeds give equal runs.
        for index in known.sorted() {
            if !keep(accepted, for: index, now: now) {
                events += noted(
                    phones[index].receive(
                        &push, channel: accepted.channel, priority: accepted.priority,
                        now: phoneTime(now)),
                    on: index)
            }
            if phones[index].cards.contains(where: { $0.listens(to: accepted.channel) }) {
                listening.insert(index)
            }
        }
        // A phone whose cards are over is not asked again.
        listeners[accepted.channel] = listening.isEmpty ? nil : listening
        return events
    }
}
