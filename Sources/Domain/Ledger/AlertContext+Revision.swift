extension AlertContext {
    /// What an alert puts right: as people have heard it, and as it is. Of what was put right
    /// before anybody heard of it, the next alert puts right what they have heard.
    public struct Revision: Hashable, Codable, Sendable {
        /// As people have heard it.
        public var from: String
        /// As it is.
        public var to: String

        public init(from: String, to: String) {
            self.from = from
            self.to = to
        }

        /// Whether people have heard otherwise.
        public var isNeeded: Bool { from != to }
    }

    /// It puts right what its own alert is about, and has words for that if nobody has heard of it.
    public var amendsItself: Bool {
        guard let subject, revision != nil else { return false }
        return amendments.contains { $0.subject.hasBytes(of: subject) }
    }
}
