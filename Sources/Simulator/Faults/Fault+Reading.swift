import Domain

/// `POST /faults`, and each of the `faults` of a scenario: one member says what, others how.
extension Fault {
    static let known =
        "refuse, kill, dismiss, broadcast, back, lose, goAway, delay, answer, streams, readRate, "
        + "apnsClock, phoneClock, environment and away, with of, count, reason, abandon, share, "
        + "after and for"

    private static let names = [
        "refuse", "kill", "dismiss", "broadcast", "back", "lose", "goAway", "delay", "answer",
        "streams", "readRate", "apnsClock", "phoneClock", "environment", "away",
    ]

    private static let manners = ["of", "count", "reason", "abandon", "share", "after", "for"]

    init(_ fields: NamedFields) throws(FieldProblem) {
        var fields = fields
        let named = Self.names.filter { fields.has($0) }
        guard let name = named.first else {
            for manner in Self.manners { _ = fields.value(manner) }
            try fields.finish(known: Self.known)
            throw FieldProblem(sentence: "a fault needs one of \(Self.known)")
        }
        guard named.count == 1 else {
            throw fields.problem(named[1], "cannot stand beside \(name): post two faults")
        }
        let share = try fields.number("share", in: 0...1)
        let after = try fields.number("after", in: 0...Limits.faultSecondsMax) ?? 0
        let lasts = try fields.number("for", in: 0...Limits.faultSecondsMax)
        let what = try Self.what(name, hasShare: share != nil, &fields)
        try fields.finish(known: Self.known)
        self.init(what, share: share ?? 1, afterSeconds: after, forSeconds: lasts)
        if case .blow = what, lasts != nil {
            throw fields.problem("for", "does nothing: \(name) happens once")
        }
        if share != nil, !hasLots {
            throw fields.problem("share", "does nothing beside \(name)")
        }
    }

    /// There are many that it may meet.
    private var hasLots: Bool {
        switch what {
        case .blow(.kill(.everybody, _)), .blow(.dismiss(.everybody)), .blow(.back(.everybody)),
            .condition(.away(.everybody)), .condition(.delay), .condition(.answer),
            .condition(.lose), .condition(.goAway):
            true
        default: false
        }
    }

    private static func what(
        _ name: String, hasShare: Bool, _ fields: inout NamedFields
    ) throws(FieldProblem) -> What {
        let clock = -Limits.faultSecondsMax...Limits.faultSecondsMax
        switch name {
        case "refuse":
            return .blow(
                .refuse(
                    try reason(name, &fields),
                    count: try fields.integer("count", in: 1...1_000_000) ?? 1,
                    of: try fields.choice("of", APNsService.self) ?? .pushes))
        case "kill":
            let death = try fields.choice("reason", TokenDeath.self) ?? .unregistered
            return .blow(.kill(try whom(name, &fields), death))
        case "dismiss": return .blow(.dismiss(try whom(name, &fields)))
        case "broadcast": return .blow(.broadcast(isEnabled: try fields.flag(name) ?? true))
        case "back": return .blow(.back(try whom(name, &fields)))
        case "lose": return try loss(hasShare: hasShare, &fields)
        case "goAway": return try goAway(hasShare: hasShare, &fields)
        case "delay": return .condition(.delay(try latency(&fields)))
        case "answer":
            return .condition(
                .answer(
                    try reason(name, &fields),
                    of: try fields.choice("of", APNsService.self) ?? .pushes))
        case "streams":
            let streams = try fields.integer(name, in: 0...Limits.streamsAfterProviderToken)
            return .condition(.streams(streams ?? 1))
        case "readRate":
            let rate = try fields.integer(name, in: 100...1_000_000_000)
            return .condition(.readRate(rate ?? 1))
        case "apnsClock": return .condition(.apnsClock(try fields.number(name, in: clock) ?? 0))
        case "phoneClock": return .condition(.phoneClock(try fields.number(name, in: clock) ?? 0))
        case "environment":
            let environment = try fields.choice(name, APNsEnvironment.self)
            return .condition(.environment(environment ?? .sandbox))
        default: return .condition(.away(try whom(name, &fields)))
        }
    }

    private static func loss(
        hasShare: Bool, _ fields: inout NamedFields
    ) throws(FieldProblem) -> What {
        let loss = try fields.choice("lose", Loss.self) ?? .connection
        if hasShare { return .condition(.lose(loss)) }
        guard loss == .connection else {
            throw fields.problem("share", "is missing: which part of the requests is lost")
        }
        return .blow(.disconnect)
    }

    private static func goAway(
        hasShare: Bool, _ fields: inout NamedFields
    ) throws(FieldProblem) -> What {
        let reason = try reason("goAway", &fields)
        let abandons = try fields.flag("abandon") ?? false
        return hasShare
            ? .condition(.goAway(reason, abandons: abandons))
            : .blow(.goAway(reason, abandons: abandons))
    }

    private static func latency(_ fields: inout NamedFields) throws(FieldProblem) -> Latency {
        let range = 0...Limits.delaySecondsMax
        guard var inner = try fields.object("delay") else {
            throw fields.problem("delay", "is missing")
        }
        guard let p50 = try inner.number("p50", in: range) else {
            throw inner.problem(
                "p50", "is missing: seconds that half of the answers take less than")
        }
        let p99 = try inner.number("p99", in: range) ?? p50
        try inner.finish(known: "p50 and p99")
        guard p99 >= p50 else { throw inner.problem("p99", "must not be less than p50") }
        return Latency(p50Seconds: p50, p99Seconds: p99)
    }

    private static func reason(
        _ name: String, _ fields: inout NamedFields
    ) throws(FieldProblem) -> APNsRefusal {
        guard let reason = try fields.choice(name, APNsRefusal.self) else {
            throw fields.problem(name, "is missing")
        }
        return reason
    }

    /// `*` for everybody.
    private static func whom(
        _ name: String, _ fields: inout NamedFields
    ) throws(FieldProblem) -> Whom {
        let id = try fields.text(name) ?? "*"
        return id == "*" ? .everybody : .phone(PhoneID(rawValue: id))
    }
}
