extension AlertContext {
    /// What people have heard of something, and how it is now, such as the result of a match. An
    /// alert that corrects the result has it. If the alert before was never sent, people have heard
    /// what was before that. If they have heard it as it is now, there is nothing to correct:
    /// `MergedAlerts` has an example.
    public struct ChangedValue: Hashable, Codable, Sendable {
        /// As people have heard it.
        public var heard: String
        /// As it is.
        public var now: String

        public init(heard: String, now: String) {
            self.heard = heard
            self.now = now
        }

        /// Whether people have heard it as it is.
        public var isAsHeard: Bool { heard == now }

        private enum CodingKeys: String, CodingKey {
            case heard = "from"
            case now = "to"
        }
    }

    /// Whether it corrects what its own alert is about, and also has the text for people who have
    /// not heard of that at all.
    public var rewordsOwnAlert: Bool {
        guard let subject, changedValue != nil else { return false }
        return amendments.contains { $0.subject.hasBytes(of: subject) }
    }
}
