/// What a redacted export leaves as it is of a kind's events. All that is not named here is
/// covered, so a field that is forgotten is one too few in the open and not one too many.
public struct SafeFields: Hashable, Sendable {
    /// Fields that say nothing of a person: figures, times, and words of which the schema lists
    /// every one. A value that does not fit its field is covered all the same.
    public let names: Set<String>
    /// Names of things that a fold tells apart, such as a goal's: no two become the same.
    public let references: Set<String>

    public init(_ names: Set<String>, references: Set<String> = []) {
        self.names = names
        self.references = references
    }

    /// What a kind has that names none.
    public static let none = SafeFields([])
}
