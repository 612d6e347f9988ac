/// What the server says is wrong: a problem document (RFC 9457).
///
/// It names fields and never the values sent in them, so it may be logged.
public struct Problem: Hashable, Sendable {
    /// The name in `/problems/{name}`; it never changes once released.
    public struct Name: RawRepresentable, Hashable, Codable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        public static let versionConflict = Name(rawValue: "version-conflict")
        public static let contentConflict = Name(rawValue: "content-conflict")
        public static let eventConflicts = Name(rawValue: "event-conflicts")
        public static let rotationConflict = Name(rawValue: "rotation-conflict")
        public static let unknownRegistration = Name(rawValue: "unknown-registration")
        public static let unknownActivity = Name(rawValue: "unknown-activity")
        public static let unknownEventType = Name(rawValue: "unknown-event-type")
        public static let invalidEventData = Name(rawValue: "invalid-event-data")
        public static let invalidEvents = Name(rawValue: "invalid-events")
        public static let invalidTicket = Name(rawValue: "invalid-ticket")
        public static let expiredTicket = Name(rawValue: "expired-ticket")
        public static let tooManyRegistrations = Name(rawValue: "too-many-registrations")
        public static let rateLimited = Name(rawValue: "rate-limited")
    }

    /// One of several faults in a body.
    public struct Fault: Hashable, Sendable {
        public let name: Name
        /// JSON pointer into the body.
        public let pointer: String
        public let detail: String
        /// The activity's version, where it was not the expected one.
        public let actualVersion: Int64?
        /// Where the log has the earlier event of the same id.
        public let position: Int64?
    }

    public let name: Name
    public let title: String
    public let status: Int
    public let detail: String
    /// What to do about it.
    public let remedy: String
    /// For the operator of the server.
    public let requestID: String?
    public let faults: [Fault]
    /// How long the server asks to wait.
    public internal(set) var retryAfter: Duration?
}

extension Problem: Decodable {
    private enum CodingKeys: String, CodingKey {
        case type, title, status, detail, remedy, errors
        case requestID = "requestId"
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        let type = try members.decode(String.self, forKey: .type)
        guard type.contains("/problems/") else {
            // A gateway's own, such as `about:blank`.
            throw DecodingError.dataCorruptedError(
                forKey: .type, in: members, debugDescription: "not a problem of Islet's")
        }
        name = Name(type: type)
        title = try members.decode(String.self, forKey: .title)
        status = try members.decode(Int.self, forKey: .status)
        detail = try members.decodeIfPresent(String.self, forKey: .detail) ?? title
        remedy = try members.decodeIfPresent(String.self, forKey: .remedy) ?? ""
        requestID = try members.decodeIfPresent(String.self, forKey: .requestID)
        faults = try members.decodeIfPresent([Fault].self, forKey: .errors) ?? []
    }
}

extension Problem.Fault: Decodable {
    private enum CodingKeys: String, CodingKey {
        case type, pointer, detail, actualVersion, position
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        name = Problem.Name(type: try members.decode(String.self, forKey: .type))
        pointer = try members.decodeIfPresent(String.self, forKey: .pointer) ?? ""
        detail = try members.decodeIfPresent(String.self, forKey: .detail) ?? ""
        actualVersion = try members.decodeIfPresent(Int64.self, forKey: .actualVersion)
        position = try members.decodeIfPresent(Int64.self, forKey: .position)
    }
}

extension Problem.Name {
    /// - Parameter type: `/problems/invalid-ticket`, or that behind a host.
    fileprivate init(type: String) {
        self.init(rawValue: type.split(separator: "/").last.map(String.init) ?? type)
    }
}
