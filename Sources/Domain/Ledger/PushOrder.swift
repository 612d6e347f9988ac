public import JSON

/// How a decision that pushes is to be carried out, and what led to that.
public struct PushOrder: Hashable, Sendable {
    /// What the budget or the pace made of a push, from best to worst.
    public enum Treatment: String, Codable, Sendable, CaseIterable {
        /// As the policy wants it.
        case asWanted
        /// At priority 5, because the budget of priority 10 is spent.
        case lowered
        /// Together with what comes in the same window.
        case merged
        /// Not before the pace allows another push.
        case held
    }

    /// Priority 10 for phones of the standard tier, else 5.
    public var isImmediate: Bool
    /// The same for phones with frequent updates.
    public var isImmediateForFrequent: Bool
    /// Not before then; nil: at once. Whatever is sent earlier carries it.
    public var sendAfter: Moment?
    /// What the budget made of the decision.
    public var treatment: Treatment
    /// Tokens of the budgets before and after, for the ledger.
    public var budget: BudgetChange?
    /// Fresh cards take the place of the old ones.
    public var restarts: Bool {
        get { restarting ?? false }
        set { restarting = newValue ? true : nil }
    }
    /// Nil most of the time, so that most orders are not longer for it.
    private var restarting: Bool?

    public init(
        isImmediate: Bool = false, isImmediateForFrequent: Bool = false,
        sendAfter: Moment? = nil, treatment: Treatment = .asWanted, budget: BudgetChange? = nil
    ) {
        self.isImmediate = isImmediate
        self.isImmediateForFrequent = isImmediateForFrequent
        self.sendAfter = sendAfter
        self.treatment = treatment
        self.budget = budget
    }

    /// Whether such phones get it at priority 10.
    public func isImmediate(for tier: PhoneTier) -> Bool {
        switch tier {
        case .standard: isImmediate
        case .frequent: isImmediateForFrequent
        }
    }
}

/// Leaves out the time, which the store keeps where it can be searched for.
extension PushOrder: Codable {
    private enum CodingKeys: String, CodingKey {
        case isImmediate, isImmediateForFrequent, budget
        case restarting = "restarts"
        case treatment = "step"
    }
}

/// What a decision took from the budgets of its activity.
public struct BudgetChange: Hashable, Codable, Sendable {
    /// Whole and broken tokens of each bucket.
    public struct Level: Hashable, Codable, Sendable {
        /// Tokens of priority 10, for phones of either tier.
        public var standard: Double
        /// Tokens of priority 10, for phones that allow frequent updates.
        public var frequent: Double
        /// Tokens of priority 5.
        public var quiet: Double

        public init(standard: Double, frequent: Double, quiet: Double) {
            self.standard = standard
            self.frequent = frequent
            self.quiet = quiet
        }
    }

    /// Before the decision.
    public var before: Level
    /// After it.
    public var after: Level

    public init(before: Level, after: Level) {
        self.before = before
        self.after = after
    }
}

extension PushOrder: CanonicalValue {
    public func write(to writer: inout CanonicalWriter) {
        writer.object { members in
            members.member("budget", budget)
            members.member("isImmediate", isImmediate)
            members.member("isImmediateForFrequent", isImmediateForFrequent)
            members.member("restarts", restarting)
            members.member("step", treatment)
        }
    }
}

extension PushOrder.Treatment: CanonicalValue {}

extension BudgetChange: CanonicalValue {
    public func write(to writer: inout CanonicalWriter) {
        writer.object { members in
            members.member("after", after)
            members.member("before", before)
        }
    }
}

extension BudgetChange.Level: CanonicalValue {
    public func write(to writer: inout CanonicalWriter) {
        writer.object { members in
            members.member("frequent", frequent)
            members.member("quiet", quiet)
            members.member("standard", standard)
        }
    }
}
