public import Domain

/// One rule of a kind's policy: a sort of change, and how much it matters unless the tenant's
/// policy says otherwise.
public struct Rule: Hashable, Sendable {
    /// As it stands in decisions and policies; a format, never renamed.
    public let name: String
    /// How much its changes matter unless a tenant says otherwise.
    public let standard: Significance
    /// Words without which a phone cannot be alerted; rules of things not worth a word have none.
    public let hasWords: Bool
    /// May take what a budget keeps in reserve.
    public let isCritical: Bool
    /// One sentence: what has happened when it speaks.
    public let why: String

    public init(
        _ name: String, _ standard: Significance, hasWords: Bool = false, isCritical: Bool = false,
        _ why: String
    ) {
        self.name = name
        self.standard = standard
        self.hasWords = hasWords || standard == .alert
        self.isCritical = isCritical
        self.why = why
    }
}
