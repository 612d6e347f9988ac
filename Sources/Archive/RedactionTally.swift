/// What a redaction has covered. Holds no text of the log's: members that no schema names are named
/// by the pseudonyms that they have in the export, since their names may name people too.
public struct RedactionTally: Hashable, Codable, Sendable {
    /// A member that the type's schema does not name.
    public struct Unlisted: Hashable, Codable, Sendable {
        /// Of the events.
        public var type: String
        /// Where it is in the data, as a JSON pointer of pseudonyms.
        public var path: String
    }

    /// Values of members in the data.
    public internal(set) var valuesCovered = 0
    /// Those of them whose member no schema names.
    public internal(set) var valuesUnlisted = 0
    /// The first of them.
    public internal(set) var unlisted: [Unlisted] = []
    /// There are more than are named.
    public internal(set) var hasMoreUnlisted = false

    public init() {}

    mutating func note(_ member: Unlisted) {
        guard !unlisted.contains(member) else { return }
        guard unlisted.count < Limits.unlistedMembersMax else { return hasMoreUnlisted = true }
        unlisted.append(member)
    }
}
