import Domain

/// `POST /faults`, and each of the `faults` of a scenario: one member says what, others how.
extension Fault: Decodable {
    private enum Field: String, CodingKey, CaseIterable {
        case refuse, kill, dismiss, broadcast, back, lose, goAway, delay, answer, streams
        case readRate, apnsClock, phoneClock, environment, away
        case of, count, reason, abandon, share, after, `for`

        /// Those that say how, and beside what; the others say what.
        static let manners: [Field: Set<Field>] = [
            .of: [.refuse, .answer], .count: [.refuse], .reason: [.kill], .abandon: [.goAway],
            .share: Set(allCases), .after: Set(allCases), .for: Set(allCases),
        ]
    }

    private typealias Fields = KeyedDecodingContainer<Field>

    public init(from decoder: any Decoder) throws {
        let fields = try decoder.fields(Field.self)
        let given = Field.allCases.filter(fields.contains)
        let named = given.filter { Field.manners[$0] == nil }
        guard let name = named.first else {
            let names = Field.allCases.filter { Field.manners[$0] == nil }.map(\.rawValue)
            throw FieldProblem(fields.codingPath, "needs one of \(names.joined(separator: ", "))")
        }
        guard named.count == 1 else {
            throw fields.problem(named[1], "cannot stand beside \(name.rawValue): post two faults")
        }
        let isShared = fields.contains(.share)
        self.init(
            try Self.what(name, isShared: isShared, fields),
            share: try fields.number(.share, in: 0...1, else: 1),
            afterSeconds: try fields.number(.after, in: 0...Limits.faultSecondsMax, else: 0),
            forSeconds: try fields.contains(.for)
                ? fields.number(.for, in: 0...Limits.faultSecondsMax) : nil)
        if case .blow = what, forSeconds != nil {
            throw fields.problem(.for, "does nothing: \(name.rawValue) happens once")
        }
        let stray = given.first { Field.manners[$0]?.contains(name) == false }
        if let stray = stray ?? (isShared && !hasLots ? .share : nil) {
            throw fields.problem(stray, "does nothing beside \(name.rawValue)")
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

    private static func what(_ name: Field, isShared: Bool, _ fields: Fields) throws -> What {
        let clock = -Limits.faultSecondsMax...Limits.faultSecondsMax
        switch name {
        case .refuse:
            return .blow(
                .refuse(
                    try fields.choice(name),
                    count: try fields.number(.count, in: 1...1_000_000, else: 1),
                    of: try fields.choice(.of, else: .pushes)))
        case .kill:
            let death = try fields.choice(.reason, else: TokenDeath.unregistered)
            return .blow(.kill(try whom(name, fields), death))
        case .dismiss: return .blow(.dismiss(try whom(name, fields)))
        case .broadcast:
            return .blow(.broadcast(isEnabled: try fields.value(name, "true or false")))
        case .back: return .blow(.back(try whom(name, fields)))
        case .lose:
            let loss: Loss = try fields.choice(name)
            if isShared { return .condition(.lose(loss)) }
            guard loss == .connection else {
                throw fields.problem(.share, "is missing: which part of the requests is lost")
            }
            return .blow(.disconnect)
        case .goAway:
            let reason: APNsRefusal = try fields.choice(name)
            let abandons = try fields.value(.abandon, "true or false", else: false)
            return isShared
                ? .condition(.goAway(reason, abandons: abandons))
                : .blow(.goAway(reason, abandons: abandons))
        case .delay: return .condition(.delay(try latency(fields.superDecoder(forKey: name))))
        case .answer:
            return .condition(
                .answer(try fields.choice(name), of: try fields.choice(.of, else: .pushes)))
        case .streams:
            return .condition(
                .streams(try fields.number(name, in: 0...Limits.streamsAfterProviderToken)))
        case .readRate:
            return .condition(.readRate(try fields.number(name, in: 100...1_000_000_000)))
        case .apnsClock: return .condition(.apnsClock(try fields.number(name, in: clock)))
        case .phoneClock: return .condition(.phoneClock(try fields.number(name, in: clock)))
        case .environment: return .condition(.environment(try fields.choice(name)))
        default: return .condition(.away(try whom(name, fields)))
        }
    }

    private enum Quantile: String, CodingKey, CaseIterable { case p50, p99 }

    private static func latency(_ decoder: any Decoder) throws -> Latency {
        let fields = try decoder.fields(Quantile.self)
        let range = 0...Limits.delaySecondsMax
        let p50 = try fields.number(.p50, in: range)
        let p99 = try fields.number(.p99, in: range, else: p50)
        guard p99 >= p50 else { throw fields.problem(.p99, "must not be less than p50") }
        return Latency(p50Seconds: p50, p99Seconds: p99)
    }

    /// `*` for everybody.
    private static func whom(_ name: Field, _ fields: Fields) throws -> Whom {
        let id: String = try fields.value(name, "a text") { !$0.isEmpty }
        return id == "*" ? .everybody : .phone(PhoneID(rawValue: id))
    }
}
