import Domain

/// One fault that is in force or to come, as `GET /faults` shows it.
struct FaultView: Encodable {
    /// In words, for a person.
    var fault: String
    var share: Double
    var holds: Bool
    /// Nil for a refusal that waits for requests.
    var beginsAt: Moment?
    /// Nil when it lasts until faults are cleared.
    var endsAt: Moment?

    init(_ planned: FaultMachine.Planned) {
        fault = planned.fault.what.words
        share = planned.fault.share
        holds = planned.hasBegun
        beginsAt = planned.beginsAt
        endsAt = planned.endsAt
    }

    /// What is left of a refusal that has begun.
    init(refusing count: Int, _ service: APNsService, _ reason: APNsRefusal) {
        fault = Fault.Blow.refuse(reason, count: count, of: service).words
        share = 1
        holds = true
    }
}

extension Fault.What {
    fileprivate var words: String {
        switch self {
        case .blow(let blow): blow.words
        case .condition(let condition): condition.words
        }
    }
}

extension Fault.Blow {
    fileprivate var words: String {
        switch self {
        case .refuse(let reason, let count, let service):
            "refuse \(count) \(service.rawValue): \(reason.rawValue)"
        case .kill(let whom, let death): "kill tokens of \(whom.words): \(death.rawValue)"
        case .dismiss(let whom): "dismiss cards of \(whom.words)"
        case .back(let whom): "\(whom.words) back"
        case .broadcast(let isEnabled): "broadcast \(isEnabled ? "enabled" : "disabled")"
        case .disconnect: "lose connections"
        case .goAway(let reason, let abandons):
            "goAway: \(reason.rawValue)\(abandons ? ", abandon" : "")"
        }
    }
}

extension Fault.Condition {
    fileprivate var words: String {
        switch self {
        case .delay(let latency): "delay p50 \(latency.p50Seconds) s, p99 \(latency.p99Seconds) s"
        case .answer(let reason, let service): "answer \(service.rawValue): \(reason.rawValue)"
        case .lose(let loss): "lose \(loss.rawValue)"
        case .goAway(let reason, let abandons):
            "goAway: \(reason.rawValue)\(abandons ? ", abandon" : "")"
        case .streams(let count): "streams \(count)"
        case .readRate(let rate): "readRate \(rate) bytes/s"
        case .apnsClock(let seconds): "apnsClock \(seconds) s ahead"
        case .phoneClock(let seconds): "phoneClock \(seconds) s ahead"
        case .environment(let environment): "environment \(environment.rawValue)"
        case .away(let whom): "\(whom.words) away"
        }
    }
}

extension Fault.Whom {
    fileprivate var words: String {
        switch self {
        case .phone(let id): id.rawValue
        case .everybody: "all phones"
        }
    }
}
