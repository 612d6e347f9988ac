public import Domain
public import HTTP

/// What Apple answers: pushes to device tokens, broadcasts, and calls that manage channels.
public enum APNsService: String, Hashable, Sendable, Codable, CaseIterable {
    case pushes, broadcasts, channels
}

/// Apple's push gateway as a value: request and time in, answer and effects out.
///
/// It knows tokens, keys and connections, and nothing of phones: a push that it accepts may still
/// be ignored by the phone without a word, exactly as with Apple.
public struct APNsMachine: Sendable {
    public struct Configuration: Sendable {
        public var environment: APNsEnvironment
        /// Bundle ids that the team owns.
        public var bundleIDs: Set<String>
        public var keys: [ProviderKey]
        public var isSigned: SignatureCheck
        public var broadcast: BroadcastRules
        /// What is refused although Apple may take it.
        public var refused: Set<Oddity>

        public init(
            environment: APNsEnvironment, bundleIDs: Set<String>, keys: [ProviderKey],
            broadcast: BroadcastRules = BroadcastRules(), refused: Set<Oddity> = [],
            isSigned: @escaping SignatureCheck
        ) {
            self.environment = environment
            self.bundleIDs = bundleIDs
            self.keys = keys
            self.broadcast = broadcast
            self.isSigned = isSigned
            self.refused = refused
        }
    }

    /// How often each answer was given.
    public struct Tally: Hashable, Sendable, Codable {
        public var received = 0
        public var accepted = 0
        /// By reason, as Apple spells it.
        public var refused: [String: Int] = [:]
    }

    public let configuration: Configuration
    var tallies: [APNsService: Tally] = [:]
    var gate: ProviderGate
    /// Connections of the management port are other ones, though their numbers be the same.
    var managementGate: ProviderGate
    var oddities: OddityBook
    var directory = DeviceDirectory()
    var channels = ChannelDirectory()
    var broadcastIsEnabled: Bool
    /// What the lot has for the request that is being answered, instead of an acceptance.
    var lot: APNsRefusal?
    /// Whose tokens, channels and keys it knows just now.
    var environment: APNsEnvironment {
        didSet {
            gate.environment = environment
            managementGate.environment = environment
        }
    }
    /// Refusals that wait for requests, in the order they were asked for.
    private(set) var script: [(service: APNsService, reason: APNsRefusal, left: Int)] = []
    var random: SeededGenerator

    public init(_ configuration: Configuration, seed: UInt64) {
        self.configuration = configuration
        environment = configuration.environment
        gate = ProviderGate(
            environment: configuration.environment, keys: configuration.keys,
            isSigned: configuration.isSigned)
        managementGate = gate
        oddities = OddityBook(refused: configuration.refused)
        broadcastIsEnabled = configuration.broadcast.isEnabled
        random = SeededGenerator(seed: seed)
    }

    public func tally(of service: APNsService) -> Tally {
        tallies[service] ?? Tally()
    }

    /// The next `count` requests to the service that are otherwise in order are refused for
    /// `reason`.
    public mutating func refuseNext(
        _ count: Int, _ reason: APNsRefusal, of service: APNsService = .pushes
    ) {
        guard count > 0, script.count < Limits.scriptedAnswersMax else { return }
        script.append((service, reason, count))
    }

    mutating func forgetRefusals() { script = [] }

    public mutating func receive(_ request: Request, now: Moment) -> APNsResult<AcceptedPush> {
        result(of: request, .pushes) { (apple, result) throws(Refused) in
            if apple.environment == .sandbox { result.answer.uniqueID = apple.random.uuid() }
            result.accepted = try apple.accept(request, now: now, &result.opensStreams)
        }
    }

    /// Answers one request to the service, and counts it.
    /// - Parameter accept: checks the request, and does what it asks for.
    mutating func result<Accepted: Hashable & Sendable>(
        of request: Request, _ service: APNsService,
        _ accept: (inout APNsMachine, inout APNsResult<Accepted>) throws(Refused) -> Void
    ) -> APNsResult<Accepted> {
        let field = service == .pushes ? "apns-id" : "apns-request-id"
        let known = request.headers[field].flatMap { PushHeaders.isCanonicalUUID($0) ? $0 : nil }
        var result = APNsResult<Accepted>(
            answer: APNsAnswer(idField: field, id: known ?? random.uuid()))
        tallies[service, default: Tally()].received += 1
        do throws(Refused) {
            try accept(&self, &result)
            tallies[service, default: Tally()].accepted += 1
        } catch {
            (result.answer.refusal, result.answer.deadSince) = (error.reason, error.since)
            tallies[service, default: Tally()].refused[error.reason.rawValue, default: 0] += 1
        }
        return result
    }

    mutating func nextScripted(_ service: APNsService) -> APNsRefusal? {
        if let lot { return lot }
        guard let index = script.firstIndex(where: { $0.service == service }) else { return nil }
        let (_, reason, left) = script[index]
        if left > 1 { script[index].left = left - 1 } else { script.remove(at: index) }
        return reason
    }

    /// The order of the checks is ours, Apple names none: the request line, then who sends, then
    /// the push, then the phone it is for.
    private mutating func accept(
        _ request: Request, now: Moment, _ opensStreams: inout Bool
    ) throws(Refused) -> AcceptedPush {
        let address = try Self.deviceAddress(request.path)
        guard request.method == "POST" else { throw Refused(.methodNotAllowed) }
        if PushHeaders.hasRepeats(request.headers) { throw Refused(.duplicateHeaders) }
        opensStreams = try gate.admit(
            request.headers["authorization"], connection: request.connectionID, now: now,
            &oddities)
        let headers = try PushHeaders(request.headers)
        let owned = gate.bundleIDs(on: request.connectionID) ?? configuration.bundleIDs
        guard owned.contains(String(headers.bundleID)) else {
            throw Refused(.topicDisallowed)
        }
        if request.body.isEmpty { throw Refused(.payloadEmpty) }
        if request.body.count > Limits.pushBytesMax { throw Refused(.payloadTooLarge) }
        try checkBody(of: request)
        if let reason = nextScripted(.pushes) {
            throw Refused(reason, since: reason.status == 410 ? now : nil)
        }
        if address.isEmpty { throw Refused(.missingDeviceToken) }
        guard let token = PushToken(hex: String(address)) else { throw Refused(.badDeviceToken) }
        try directory.check(
            token, headers: headers, environment: environment, now: now)
        return AcceptedPush(
            token: token, priority: headers.priority, expiration: headers.expiration,
            body: request.body, acceptedAt: now)
    }

    /// Nothing in Apple's table for pushes is closer to either than an empty payload.
    private mutating func checkBody(of request: Request) throws(Refused) {
        if let coding = request.headers["content-encoding"], coding.lowercased() != "identity" {
            try oddities.meet(.compressedBody, else: .payloadEmpty)
        } else if !Self.isObject(request.body, thoroughly: oddities.refused.contains(.bodyNotJSON))
        {
            try oddities.meet(.bodyNotJSON, else: .payloadEmpty)
        }
    }

    /// - Parameter thoroughly: otherwise by its braces, which costs a busy simulator nothing.
    private static func isObject(_ body: [UInt8], thoroughly: Bool) -> Bool {
        if thoroughly { return object(body) != nil }
        let isSpace: (UInt8) -> Bool = { $0 == 32 || (9...13).contains($0) }
        return body.first { !isSpace($0) } == UInt8(ascii: "{")
            && body.last { !isSpace($0) } == UInt8(ascii: "}")
    }

    /// What follows `/3/device/`, possibly nothing.
    private static func deviceAddress(_ path: Substring) throws(Refused) -> Substring {
        let prefix = "/3/device"
        let slash = UInt8(ascii: "/")
        guard path.hasPrefix(prefix) else { throw Refused(.badPath) }
        let rest = path.dropFirst(prefix.count)
        if rest.isEmpty { return rest }
        guard rest.utf8.first == slash, !rest.utf8.dropFirst().contains(slash) else {
            throw Refused(.badPath)
        }
        return rest.dropFirst()
    }
}
