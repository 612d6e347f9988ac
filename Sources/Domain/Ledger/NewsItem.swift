/// What an alert is about, for those that are said together or taken back.
public struct NewsItem: Hashable, Codable, Sendable {
    /// The larger, the more significant among the kind's rules.
    public var weight: Int
    /// What is told, such as `goal/17`; nil for what nothing ever takes back.
    public var subject: String?
    /// Subjects that are no longer true.
    public var withdraws: [String]
    /// It is news only to those who were told what it takes back.
    public var isCorrection: Bool

    public init(
        weight: Int = 0, subject: String? = nil, withdraws: [String] = [],
        isCorrection: Bool = false
    ) {
        self.weight = weight
        self.subject = subject
        self.withdraws = withdraws
        self.isCorrection = isCorrection
    }
}
