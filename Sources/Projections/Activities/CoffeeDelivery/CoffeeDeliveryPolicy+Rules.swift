import Domain

extension CoffeeDeliveryPolicy {
    static let delivered = Rule("delivered", .alert, isAboutEnd: true, "The coffee has arrived.")
    static let cancelled = Rule("cancelled", .alert, isAboutEnd: true, "The order was cancelled.")
    static let onItsWay = Rule("onItsWay", .alert, "The courier has the coffee.")
    static let delayed = Rule("delayed", .alert, "The delay has grown by another step.")
    static let overdue = Rule(
        "overdue", .alert, "The expected arrival is past, and nobody reports anything.")
    static let progress = Rule(
        "progress", .timely, hasWords: true, "The barista is a step further.")
    static let first = Rule("first", .timely, hasWords: true, "The order appears.")
    static let estimate = Rule("estimate", .timely, "The expected arrival moved.")
    static let estimateDrifted = Rule(
        "estimateDrift", .ambient, "The expected arrival moved a little.")
    static let details = Rule("details", .ambient, "A detail of the card changed.")
    static let estimateNoise = Rule(
        "estimateNoise", .none, "The expected arrival moved by too little to matter.")

    static let rules = [
        delivered, cancelled, onItsWay, delayed, overdue, progress, first, estimate,
        estimateDrifted, details, estimateNoise,
    ]

    static let delayAlert = Threshold(
        "delayAlertSeconds", 900, in: 60...7200,
        "An arrival this much later than people count on is worth a word, and again at twice that.")
    static let estimateDrift = Threshold(
        "estimateDriftSeconds", 300, in: 0...7200,
        "An arrival that moves by this much is shown at once: coffee gets cold.")
    static let estimateDriftIgnored = Threshold(
        "estimateDriftIgnoredSeconds", 0, in: 0...600,
        "An arrival that moves by less than this waits for the next push.")
    static let grace = Threshold.staleness(
        "graceSeconds", 900,
        "Silence for this long after the expected arrival, or the last report, is odd.")
    static let dismiss = Threshold.dismissal(
        "dismissSeconds", 900, "How long the card of an ended order stays.")

    static let overdueStep = Threshold.overdueStep(1200)

    static let thresholds = [
        delayAlert, estimateDrift, estimateDriftIgnored, grace, overdueStep, dismiss,
    ]
}
