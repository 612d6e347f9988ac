/// What every kind's policy has: how often phones are pushed, in which way, and what is news to
/// them.
extension Threshold {
    public static let budgetTokens = Threshold(
        "budgetTokensCount", 10, in: 1...1000,
        "So many pushes of priority 10 may come at once for an activity.")
    public static let budgetRefillSeconds = Threshold(
        "budgetRefillSeconds", 300, in: 0.01...3600,
        "After so long another push of priority 10 may come.")
    public static let frequentTokens = Threshold(
        "frequentTokensCount", 40, in: 1...1000,
        "As budgetTokensCount, for phones that allow frequent updates.")
    public static let frequentRefillSeconds = Threshold(
        "frequentRefillSeconds", 60, in: 0.01...3600,
        "As budgetRefillSeconds, for phones that allow frequent updates.")
    public static let budgetReserve = Threshold(
        "budgetReserveCount", 2, in: 0...100,
        "So many pushes are kept for the end and for critical alerts.")
    public static let quietTokens = Threshold(
        "quietTokensCount", 30, in: 1...1000,
        "So many pushes of priority 5 may come close together.")
    public static let quietRefillSeconds = Threshold(
        "quietRefillSeconds", 30, in: 0.01...3600,
        "After so long another push of priority 5 may come.")
    public static let coalesceSeconds = Threshold(
        "coalesceSeconds", 5, in: 0...300,
        "Quiet changes within so long after a push go together, as one.")
    public static let mergeSeconds = Threshold(
        "mergeSeconds", 120, in: 0...3600,
        "A push that waits for longer than this counts as held.")
    /// Apple: about ten in a short time are too many for a phone, and the window is not published.
    public static let startTokens = Threshold(
        "startTokensCount", 8, in: 1...100,
        "So many cards may be started at once on a phone, whatever they are about.")
    public static let startRefillSeconds = Threshold(
        "startRefillSeconds", 900, in: 0.01...86_400,
        "After so long another card may be started on the phone.")

    /// The limit is at least half of the eight hours away after a restart.
    public static let restartBeforeLimit = Threshold(
        "restartBeforeLimitSeconds", 0, in: 0...14_400,
        "So long before a card's eight hours are over a fresh one takes its place; 0 for never.")

    public static let broadcastFromFollowers = Threshold.broadcastFromFollowers(0)

    /// For a kind that is followed by many. One broadcast says nothing about any phone and is in
    /// one language, which an order's few followers are not worth.
    static func broadcastFromFollowers(_ standard: Double) -> Threshold {
        Threshold(
            "broadcastFromFollowersCount", standard, in: 0...10_000_000,
            "From so many followers of an activity on, new ones listen to a channel; 0 for never.")
    }

    public static let newsAge = Threshold(
        "newsAgeSeconds", 900, in: 1...86_400,
        "What happened longer than this before it was reported alerts nobody.")

    /// When pushes go and at which priority. No assessment looks at them.
    static let pace = [
        budgetTokens, budgetRefillSeconds, frequentTokens, frequentRefillSeconds, budgetReserve,
        quietTokens, quietRefillSeconds, coalesceSeconds, mergeSeconds,
    ]

    public static let common =
        pace + [
            newsAge, startTokens, startRefillSeconds, restartBeforeLimit, broadcastFromFollowers,
        ]
}

/// When pushes go and at which priority, as a policy has it.
public struct PaceFigures: Hashable, Sendable {
    public let budgetTokens: Double
    public let budgetRefillSeconds: Double
    public let frequentTokens: Double
    public let frequentRefillSeconds: Double
    public let budgetReserve: Double
    public let quietTokens: Double
    public let quietRefillSeconds: Double
    public let coalesceSeconds: Double
    public let mergeSeconds: Double

    static let standard = PaceFigures { $0.standard }

    init(_ figure: (Threshold) -> Double) {
        budgetTokens = figure(.budgetTokens)
        budgetRefillSeconds = figure(.budgetRefillSeconds)
        frequentTokens = figure(.frequentTokens)
        frequentRefillSeconds = figure(.frequentRefillSeconds)
        budgetReserve = figure(.budgetReserve)
        quietTokens = figure(.quietTokens)
        quietRefillSeconds = figure(.quietRefillSeconds)
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

    /// A common threshold as it is for this kind.
    public static func own(_ common: Threshold) -> Threshold {
        thresholds.first { $0.name == common.name } ?? common
    }
}
