public import Domain

/// What a push has of the text of an alert.
public enum WordsForm: String, CaseIterable, Sendable {
    /// The text itself, in the phone's language.
    case localized
    /// Keys under which the app has its own.
    case keys
}

/// What a tenant wants of one kind: thresholds and the weight of rules, quiet hours and texts. What
/// it does not say is as the kind has it.
public struct Policy: Hashable, Sendable {
    /// 0 for what is built in; a tenant's own count from 1.
    public let version: Int
    /// Nil where nothing is said, so that what is built in is nothing to copy.
    private let said: Said?

    /// Everything as the kinds have it.
    public static let builtIn = Policy(version: 0, Wishes())

    /// All but the version.
    struct Wishes: Hashable {
        /// The tenant's figures, by name.
        var thresholds: [String: Double] = [:]
        /// The tenant's significances, by rule.
        var rules: [String: Significance] = [:]
        var quietHours: QuietHours?
        var texts: [Language: [String: Template]] = [:]
        var words = WordsForm.localized
        var keys: [String: String] = [:]
    }

    /// - Parameter standards: of common figures, by name, where the kind has others.
    init(version: Int, _ wishes: Wishes, standards: [String: Double] = [:]) {
        self.version = version
        said =
            wishes == Wishes() && standards.isEmpty ? nil : Said(wishes, standards: standards)
    }

    /// The tenant's figure, the kind's standard of a common one, or the threshold's own.
    public subscript(_ threshold: Threshold) -> Double {
        guard let said else { return threshold.standard }
        return said.figure(threshold.name) ?? threshold.standard
    }

    /// Whether what a rule says must not alert anybody at this time of the day.
    public func isInQuietHours(_ rule: String, at moment: Moment) -> Bool {
        quietHours?.except.contains(rule) == false && isInQuietHours(at: moment)
    }

    /// Whether it is quiet at this time of the day, but for the rules that are excepted.
    public func isInQuietHours(at moment: Moment) -> Bool {
        quietHours?.contains(moment) ?? false
    }

    /// Whether each change is worth the same under another policy, with the same text: if they
    /// differ, then only in when pushes go and at which priority.
    func judgesAlike(_ other: Policy) -> Bool { judging == other.judging }

    /// Without what only says when pushes go and at which priority.
    private var judging: Wishes {
        var judging = said?.wishes ?? Wishes()
        for threshold in Threshold.pace { judging.thresholds[threshold.name] = nil }
        return judging
    }

    /// Budgets and windows.
    public var pace: PaceFigures { said?.pace ?? .standard }

    /// How many cards may be started on a phone.
    public var starts: BucketFigures {
        BucketFigures(tokens: self[.startTokens], refillSeconds: self[.startRefillSeconds])
    }

    /// The tenant's value, or the rule's own.
    public func significance(of rule: Rule) -> Significance {
        guard let rules = said?.wishes.rules, !rules.isEmpty else { return rule.standard }
        return rules[rule.name] ?? rule.standard
    }
}

extension Policy {
    /// The tenant's figures, by name.
    public var thresholds: [String: Double] { said?.wishes.thresholds ?? [:] }

    /// Nil when people may be alerted at any hour.
    public var quietHours: QuietHours? { said?.wishes.quietHours }

    /// The tenant's texts, by key.
    public var texts: [Language: [String: Template]] { said?.wishes.texts ?? [:] }

    /// Whether pushes carry texts or keys of the app's texts.
    public var words: WordsForm { said?.wishes.words ?? .localized }

    /// Keys of the app's texts, by the keys of the kind's; those left out have a standard one.
    public var keys: [String: String] { said?.wishes.keys ?? [:] }
}

/// In one object, for a policy is handed on with every change that is judged under it.
private final class Said: Hashable, Sendable {
    let wishes: Policy.Wishes
    private let standards: [String: Double]
    /// The thresholds and standards once more: of so few, each is sooner compared than looked up.
    private let figures: [(name: String, value: Double)]
    /// Read for each push.
    let pace: PaceFigures

    init(_ wishes: Policy.Wishes, standards: [String: Double]) {
        self.wishes = wishes
        self.standards = standards
        let known = standards.merging(wishes.thresholds) { $1 }
        pace = PaceFigures { known[$0.name] ?? $0.standard }
        figures = known.map { ($0.key, $0.value) }
    }

    func figure(_ name: String) -> Double? {
        for figure in figures where figure.name == name { return figure.value }
        return nil
    }

    static func == (left: Said, right: Said) -> Bool {
        left === right || (left.wishes == right.wishes && left.standards == right.standards)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(wishes) }
}
