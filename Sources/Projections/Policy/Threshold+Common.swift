/// What every kind's policy has: how often phones are pushed, and what is news to them.
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

    public static let newsAge = Threshold(
        "newsAgeSeconds", 900, in: 1...86_400,
        "What happened longer than this before it was reported alerts nobody.")

    public static let common = [
        budgetTokens, budgetRefillSeconds, frequentTokens, frequentRefillSeconds, budgetReserve,
        quietTokens, quietRefillSeconds, coalesceSeconds, mergeSeconds, newsAge,
    ]
}
