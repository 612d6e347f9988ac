import Domain

extension PizzaDeliveryPolicy {
    static let delivered = Rule("delivered", .alert, isAboutEnd: true, "The order has arrived.")
    static let cancelled = Rule("cancelled", .alert, isAboutEnd: true, "The order was cancelled.")
    static let failed = Rule(
        "failed", .alert, isAboutEnd: true, "The order could not be delivered.")
    static let arriving = Rule(
        "arriving", .alert, isCritical: true, "The driver is about to ring.")
    static let late = Rule("late", .alert, "The delay has grown by another step.")
    static let overdue = Rule(
        "overdue", .alert, "The promise is broken, and nobody reports anything.")
    static let driverReassigned = Rule("driverReassigned", .alert, "Another driver took over.")
    static let driverAssigned = Rule("driverAssigned", .alert, "The order has its first driver.")
    static let pickedUp = Rule("pickedUp", .timely, hasWords: true, "The driver has the order.")
    static let accepted = Rule("accepted", .timely, hasWords: true, "The shop took the order.")
    static let first = Rule("first", .timely, hasWords: true, "The order appears.")
    static let estimate = Rule("estimate", .timely, "The estimate moved by much.")
    static let progress = Rule("progress", .ambient, "The kitchen is a step further.")
    static let estimateDrifted = Rule("estimateDrift", .ambient, "The estimate moved by little.")
    static let location = Rule("location", .ambient, "The driver moved.")
    static let details = Rule("details", .ambient, "A detail of the card changed.")
    static let estimateNoise = Rule(
        "estimateNoise", .none, "The estimate moved by too little to matter.")

    static let rules = [
        delivered, cancelled, failed, arriving, late, overdue, driverReassigned, driverAssigned,
        pickedUp, accepted, first, estimate, progress, estimateDrifted, location, details,
        estimateNoise,
    ]

    static let delayStep = Threshold(
        "delayStepSeconds", 600, in: 60...7200,
        "A delay is worth a word at this much behind the promise, and again at twice that.")
    static let estimateDrift = Threshold(
        "estimateDriftSeconds", 600, in: 0...7200,
        "An estimate that moves by this much is shown at once; by less, when convenient.")
    static let estimateDriftIgnored = Threshold(
        "estimateDriftIgnoredSeconds", 0, in: 0...600,
        "An estimate that moves by less than this waits for the next push.")
    static let grace = Threshold.staleness(
        "graceSeconds", 600,
        "Silence for this long after the expected arrival, or the last report, is odd.")
    static let dismissDelivered = Threshold.dismissal(
        "dismissDeliveredSeconds", 900, "How long the card of a delivered order stays.")
    static let dismissFailed = Threshold.dismissal(
        "dismissFailedSeconds", 1800, "How long the card of an order that came to nothing stays.")

    static let overdueStep = Threshold.overdueStep(1200)

    static let thresholds = [
        delayStep, estimateDrift, estimateDriftIgnored, grace, overdueStep, dismissDelivered,
        dismissFailed,
    ]
}
