public import Domain

/// What a push has of the words of an alert.
public enum WordsForm: String, CaseIterable, Sendable {
    /// The words themselves, in the phone's language.
    case localized
    /// Keys under which the app has its own.
    case keys
}

/// What a tenant wants of one kind: thresholds and the weight of rules, quiet hours and words. What
/// it does not say is as the kind has it.
public struct Policy: Hashable, Sendable {
    /// 0 for what is built in; a tenant's own count from 1.
    public var version = 0
    public internal(set) var thresholds: [String: Double] = [:]
    public internal(set) var rules: [String: Significance] = [:]
    public internal(set) var quietHours: QuietHours?
    public internal(set) var texts: [Language: [String: Template]] = [:]
    public internal(set) var words = WordsForm.localized
    /// Of the app, by the keys of the kind's texts; those left out have a standard one.
    public internal(set) var keys: [String: String] = [:]

    public static let builtIn = Policy()

    init() {}

    public subscript(_ threshold: Threshold) -> Double {
        thresholds.isEmpty ? threshold.standard : thresholds[threshold.name] ?? threshold.standard
    }

    /// Whether what a rule says must not alert anybody at this time of the day.
    public func isQuiet(_ rule: String, at moment: Moment) -> Bool {
        quietHours?.isQuiet(rule, at: moment) ?? false
    }

    /// Whether it is quiet at this time of the day, but for the rules that are excepted.
    public func isQuiet(at moment: Moment) -> Bool {
        quietHours?.contains(moment) ?? false
    }

    /// Whether each change is worth the same under another policy, in the same words: if they
    /// differ, then only in when pushes go and at which priority.
    func judgesAlike(_ other: Policy) -> Bool {
        func judging(_ policy: Policy) -> Policy {
            var judging = policy
            judging.version = 0
            for threshold in Threshold.pace { judging.thresholds[threshold.name] = nil }
            return judging
        }
        return judging(self) == judging(other)
    }

    public func significance(of rule: Rule) -> Significance {
        rules.isEmpty ? rule.standard : rules[rule.name] ?? rule.standard
    }
}
