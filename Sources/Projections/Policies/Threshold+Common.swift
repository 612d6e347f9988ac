/// What every kind's policy has: how often phones are pushed, in which way, and what is news to
/// them.
extension Threshold {
    /// Pushes at priority 10 that may come close together.
    public static let budgetTokens = Threshold(
        "budgetTokensCount", 10, in: 1...1000,
        "So many pushes of priority 10 may come at once for an activity.")
    /// Seconds until one more is allowed.
    public static let budgetRefillSeconds = Threshold(
        "budgetRefillSeconds", 300, in: 0.01...3600,
        "After so long another push of priority 10 may come.")
    /// The same for phones that allow frequent updates.
    public static let frequentTokens = Threshold(
        "frequentTokensCount", 40, in: 1...1000,
        "As budgetTokensCount, for phones that allow frequent updates.")
    /// Seconds until one more is allowed for them.
    public static let frequentRefillSeconds = Threshold(
        "frequentRefillSeconds", 60, in: 0.01...3600,
        "As budgetRefillSeconds, for phones that allow frequent updates.")
    /// Tokens that stay for the end and for critical alerts.
    public static let budgetReserve = Threshold(
        "budgetReserveCount", 2, in: 0...100,
        "So many pushes are kept for the end and for critical alerts.")
    /// Pushes at priority 5 that may come close together.
    public static let quietTokens = Threshold(
        "quietTokensCount", 30, in: 1...1000,
        "So many pushes of priority 5 may come close together.")
    /// Seconds until one more is allowed.
    public static let quietRefillSeconds = Threshold(
        "quietRefillSeconds", 30, in: 0.01...3600,
        "After so long another push of priority 5 may come.")
    /// The window after a push in which quiet changes are merged.
    public static let coalesceSeconds = Threshold(
        "coalesceSeconds", 5, in: 0...300,
        "Quiet changes within so long after a push go together, as one.")
    /// How long a push may wait and still count as merged.
    public static let mergeSeconds = Threshold(
        "mergeSeconds", 120, in: 0...3600,
        "A push that waits for longer than this counts as held.")
    /// Apple: about ten in a short time are too many for a phone, and the window is not published.
    public static let startTokens = Threshold(
        "startTokensCount", 8, in: 1...100,
        "So many cards may be started at once on a phone, whatever they are about.")
    /// Seconds until one more start is allowed on a phone.
    public static let startRefillSeconds = Threshold(
        "startRefillSeconds", 900, in: 0.01...86_400,
        "After so long another card may be started on the phone.")

    /// The limit is at least half of the eight hours away after a restart.
    public static let restartBeforeLimit = Threshold(
        "restartBeforeLimitSeconds", 0, in: 0...14_400,
        "So long before a card's eight hours are over a fresh one takes its place; 0 for never.")

    /// Never, unless a kind that is followed by many or a tenant says otherwise. One broadcast says
    /// nothing about any phone and is in one language, which an order's few followers are not
    /// worth.
    public static let broadcastFromFollowers = Threshold(
        "broadcastFromFollowersCount", 0, in: 0...10_000_000,
        "From so many followers of an activity on, new ones listen to a channel; 0 for never.")

    /// How old an event may be to alert anybody.
    public static let newsAge = Threshold(
        "newsAgeSeconds", 900, in: 1...86_400,
        "What happened longer than this before it was reported alerts nobody.")

    /// Clocks of sources are off by seconds, not by minutes.
    public static let clockSkew = Threshold(
        "clockSkewSeconds", 120, in: 0...86_400,
        "A time further ahead of its report than this is not believed; the report counts as of now."
    )

    /// None, unless a kind whose ends are corrected now and then or a tenant says otherwise: after
    /// an end a phone takes nothing more.
    public static let endGrace = Threshold(
        "endGraceSeconds", 0, in: 0...3600,
        "An end is sent at once, and its card ends after so long without a correction.")

    /// For a kind that promises something. Texts count whole minutes, so less than one would have
    /// the same text come again.
    public static func overdueStep(_ standard: Double) -> Threshold {
        Threshold(
            "overdueStepSeconds", standard, in: 0...14_400, leastUnlessNever: 60,
            "Silence so long past the promise is worth a word, and again at twice, four times …, "
                + "once the activity is stale; 0 for never, else at least 60.")
    }

    /// When pushes go and at which priority. No assessment looks at them.
    static let pace = [
        budgetTokens, budgetRefillSeconds, frequentTokens, frequentRefillSeconds, budgetReserve,
        quietTokens, quietRefillSeconds, coalesceSeconds, mergeSeconds,
    ]

    /// Whether it says when the clock reports something.
    public var isOfClock: Bool { Self.clockNames.contains(name) }

    private static let clockNames = [
        endGrace.name, overdueStep(0).name, restartBeforeLimit.name,
    ]

    /// Asked for by `own`, where the kind is known. So a kind that has other standards of these
    /// alone has a built-in policy that says nothing, and is nothing to copy.
    private static let askedByKind: Set = [endGrace.name, broadcastFromFollowers.name]

    /// Names of the common figures that are asked for without a look at the kind.
    fileprivate static let askedByName = Set(common.map(\.name)).subtracting(askedByKind)

    /// Thresholds of every kind.
    public static let common =
        pace + [
            newsAge, clockSkew, endGrace, startTokens, startRefillSeconds, restartBeforeLimit,
            broadcastFromFollowers,
        ]
}

/// What a policy says of a bucket of tokens.
public struct BucketFigures: Hashable, Sendable {
    /// When it is full.
    public let tokens: Double
    /// Seconds until one more is there.
    public let refillSeconds: Double
}

/// When pushes go and at which priority, as a policy has it.
public struct PaceFigures: Hashable, Sendable {
    /// For pushes at priority 10.
    public let standard: BucketFigures
    /// The same for phones that allow frequent updates.
    public let frequent: BucketFigures
    /// For pushes at priority 5.
    public let quiet: BucketFigures
    /// Kept for the end and for critical alerts.
    public let budgetReserve: Double
    /// The window after a push.
    public let coalesceSeconds: Double
    /// The longest wait that still counts as merged.
    public let mergeSeconds: Double

    static let standard = PaceFigures { $0.standard }

    init(_ figure: (Threshold) -> Double) {
        func bucket(_ tokens: Threshold, _ refillSeconds: Threshold) -> BucketFigures {
            BucketFigures(tokens: figure(tokens), refillSeconds: figure(refillSeconds))
        }
        standard = bucket(.budgetTokens, .budgetRefillSeconds)
        frequent = bucket(.frequentTokens, .frequentRefillSeconds)
        quiet = bucket(.quietTokens, .quietRefillSeconds)
        budgetReserve = figure(.budgetReserve)
        coalesceSeconds = figure(.coalesceSeconds)
        mergeSeconds = figure(.mergeSeconds)
    }
}

extension ActivityKind {
    /// All that a tenant may change: the kind's own, and the common ones. Of a common one that the
    /// kind has a standard of its own for, the kind's.
    public static var allThresholds: [Threshold] {
        thresholds + Threshold.common.filter { own($0) == $0 }
    }

    /// What the kind is judged by as long as a tenant says nothing.
    static var builtInPolicy: Policy {
        Policy(version: 0, Policy.Wishes(), standards: ownStandards)
    }

    /// The kind's standards of common figures that no `own` asks for, by their names.
    static var ownStandards: [String: Double] {
        Dictionary(
            thresholds.filter { Threshold.askedByName.contains($0.name) }
                .map { ($0.name, $0.standard) }, uniquingKeysWith: { first, _ in first })
    }

    /// A common threshold as it is for this kind.
    public static func own(_ common: Threshold) -> Threshold {
        thresholds.first { $0.name == common.name } ?? common
    }
}
