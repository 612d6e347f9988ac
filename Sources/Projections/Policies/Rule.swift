public import Domain

/// One rule of a kind's policy: a sort of change, and how much it matters unless the tenant's
/// policy says otherwise.
public struct Rule: Hashable, Sendable {
    /// As it stands in decisions and policies; a format, never renamed.
    public let name: String
    /// How much its changes matter unless a tenant says otherwise.
    public let standard: Significance
    /// Whether it has a text: without one a phone cannot be alerted.
    public let hasWords: Bool
    /// May take what a budget keeps in reserve.
    public let isCritical: Bool
    /// Its alerts are about the end, also for an activity that was over before: they come at any
    /// hour. The change that makes an activity over is about the end by every rule.
    public let isAboutEnd: Bool
    /// One sentence: what has happened when it speaks.
    public let why: String

    public init(
        _ name: String, _ standard: Significance, hasWords: Bool = false, isCritical: Bool = false,
        isAboutEnd: Bool = false, _ why: String
    ) {
        self.name = name
        self.standard = standard
        self.hasWords = hasWords || standard == .alert
        self.isCritical = isCritical
        self.isAboutEnd = isAboutEnd
        self.why = why
    }
}

/// A figure of a kind's policy that a tenant may change. Its name ends with its unit.
public struct Threshold: Hashable, Sendable {
    /// As policies name it, with its unit last.
    public let name: String
    /// What is in force unless the tenant's policy says otherwise.
    public let standard: Double
    /// What a tenant may choose.
    public let range: ClosedRange<Double>
    /// The least within the range that means something, where 0 means never.
    public let leastUnlessNever: Double?
    /// One sentence for the person who tunes it.
    public let why: String

    public init(
        _ name: String, _ standard: Double, in range: ClosedRange<Double>,
        leastUnlessNever: Double? = nil, _ why: String
    ) {
        self.name = name
        self.standard = standard
        self.range = range
        self.leastUnlessNever = leastUnlessNever
        self.why = why
        if let refusal = self.refusal(of: standard) {
            fatalError("the standard of \(name) \(refusal)")
        }
    }

    /// The same figure for a kind that has a standard of its own.
    public func with(standard: Double) -> Threshold {
        Threshold(name, standard, in: range, leastUnlessNever: leastUnlessNever, why)
    }

    /// Things that are counted come in whole numbers.
    private var isCount: Bool { name.hasSuffix("Count") }

    /// Why a tenant may not choose a figure, without the end of the sentence; nil if it may.
    public func refusal(of value: Double) -> String? {
        let isWithin = range.contains(value) && (value == 0 || value >= leastUnlessNever ?? value)
        guard isWithin, !isCount || value == value.rounded() else {
            let number = isCount ? "a whole number " : ""
            let never = leastUnlessNever == nil ? "" : "0 or "
            let least = Self.text(leastUnlessNever ?? range.lowerBound)
            return "must be \(never)\(number)from \(least) to \(Self.text(range.upperBound))"
        }
        return nil
    }

    /// A figure as it is used. Some were put before there was a least one.
    func used(_ value: Double) -> Double {
        value == 0 ? value : max(value, leastUnlessNever ?? value)
    }

    private static func text(_ number: Double) -> String {
        number == number.rounded() ? String(Int(number)) : String(number)
    }
}

extension Threshold {
    /// How long an ended card stays on the Lock Screen. Apple's guidelines suggest 15 to 30
    /// minutes; ActivityKit keeps it four hours at most.
    /// Source: Human Interface Guidelines, Live Activities; ActivityKit, `dismissal-date`.
    public static func dismissal(_ name: String, _ standard: Double, _ why: String) -> Threshold {
        Threshold(name, standard, in: 0...Limits.dismissSecondsMax, why)
    }

    /// How long silence is normal.
    public static func staleness(_ name: String, _ standard: Double, _ why: String) -> Threshold {
        Threshold(name, standard, in: 60...Limits.liveSecondsMax, why)
    }
}
