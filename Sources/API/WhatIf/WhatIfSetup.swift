public import Domain
public import Projections

/// How a policy is tried on the past of one activity, which the API may not import.
public struct WhatIfSetup: Sendable {
    /// An alert that phones were sent, or would have been.
    public struct Told: Hashable, Sendable {
        public var version: Int64
        public var at: Moment
        public var title: String
        public var body: String

        public init(version: Int64, at: Moment, title: String, body: String) {
            self.version = version
            self.at = at
            self.title = title
            self.body = body
        }
    }

    /// What was decided under one policy.
    public struct Side: Hashable, Sendable {
        public var alerts: [Told]
        /// Pushes that a phone gets.
        public var pushes: Int

        public init(alerts: [Told], pushes: Int) {
            self.alerts = alerts
            self.pushes = pushes
        }
    }

    /// What became of alerts, by name: `added`, `removed`, `moved` and `reworded`.
    public struct Finding: Hashable, Sendable {
        public var before: Side
        public var after: Side
        public var changes: [String: Int]
        /// From some event on it could not be folded.
        public var isLeftOut: Bool

        public init(before: Side, after: Side, changes: [String: Int], isLeftOut: Bool) {
            self.before = before
            self.after = after
            self.changes = changes
            self.isLeftOut = isLeftOut
        }
    }

    /// - Parameters:
    ///   - events: the whole stream of one activity.
    ///   - own: what was in force.
    ///   - tried: the same with another policy.
    public var look:
        @Sendable (_ events: [RecordedEvent], _ own: PolicyBook, _ tried: PolicyBook) -> Finding

    public init(
        look:
            @escaping @Sendable (
                _ events: [RecordedEvent], _ own: PolicyBook, _ tried: PolicyBook
            ) -> Finding
    ) {
        self.look = look
    }
}
