/// The result of one event.
public struct Receipt: Hashable, Sendable {
    public enum Outcome: String, Codable, Sendable {
        case recorded
        /// It was recorded before, at the place that the receipt names.
        case alreadyKnown = "already-known"
        /// For its shape; only of events that stand for themselves.
        case refused
        /// With the log; only of events that stand for themselves.
        case conflict
    }

    public let id: String
    public let source: String
    public let outcome: Outcome
    /// The event's place in the tenant's log; nil when it was not recorded.
    public let position: Int64?
    /// The event's place in its activity.
    public let version: Int64?
    /// Members of the data that are no fields of the type: most often one is misspelt.
    public let unknownFields: Int
    /// Why it was not recorded.
    public let faults: [Problem.Fault]
}

extension Receipt: Decodable {
    private enum CodingKeys: String, CodingKey {
        case id, source, outcome, position, version, unknownFields, problems
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        id = try members.decodeIfPresent(String.self, forKey: .id) ?? ""
        source = try members.decodeIfPresent(String.self, forKey: .source) ?? ""
        outcome = try members.decode(Outcome.self, forKey: .outcome)
        position = try members.decodeIfPresent(Int64.self, forKey: .position)
        version = try members.decodeIfPresent(Int64.self, forKey: .version)
        unknownFields = try members.decodeIfPresent(Int.self, forKey: .unknownFields) ?? 0
        faults = try members.decodeIfPresent([Problem.Fault].self, forKey: .problems) ?? []
    }
}
