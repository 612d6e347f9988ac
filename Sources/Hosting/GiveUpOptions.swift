import DeliveryRules
import Terminal

/// When `islet serve` gives up what does not get through.
enum GiveUpOptions {
    static let all = [
        OptionSpec(
            "push-attempts-max", .integer(1...1_000_000),
            "Pushes in a row that may fail before a phone is sent no more of the same state; it "
                + "gets the next one.", default: "\(standard.pushes.attemptsMax)"),
        OptionSpec(
            "push-age-seconds-max", .integer(60...604_800),
            "Seconds after an activity's newest change from which on a push that failed is not "
                + "tried again.", default: "\(Int(standard.pushes.ageSecondsMax))"),
        OptionSpec(
            "start-attempts-max", .integer(1...100),
            "Tries of a card's start that surely did not arrive.",
            default: "\(standard.starts.attemptsMax)"),
        OptionSpec(
            "start-age-seconds-max", .integer(0...28_800),
            "Seconds after the first one from which on there is no other try: a card that appears "
                + "late surprises.", default: "\(Int(standard.starts.ageSecondsMax))"),
        OptionSpec(
            "webhook-attempts-max", .integer(1...100),
            "Tries of a message to a webhook.", default: "\(standard.webhooks.attemptsMax)"),
        OptionSpec(
            "webhook-age-seconds-max", .integer(0...2_592_000),
            "Seconds after the first one from which on there is no other try.",
            default: "\(Int(standard.webhooks.ageSecondsMax))"),
        OptionSpec(
            "webhook-failing-seconds-max", .integer(3_600...2_592_000),
            "Seconds for which nothing arrives at a webhook before it is turned off.",
            default: "\(Int(standard.webhooks.failingSecondsMax))"),
    ]

    private static let standard = GiveUpRules()

    static func rules(_ arguments: Arguments) -> GiveUpRules {
        var rules = GiveUpRules()
        func count(_ place: WritableKeyPath<GiveUpRules, Int>, _ option: String) {
            if let figure = arguments.integer(option) { rules[keyPath: place] = figure }
        }
        func seconds(_ place: WritableKeyPath<GiveUpRules, Double>, _ option: String) {
            if let figure = arguments.integer(option) { rules[keyPath: place] = Double(figure) }
        }
        count(\.pushes.attemptsMax, "push-attempts-max")
        seconds(\.pushes.ageSecondsMax, "push-age-seconds-max")
        count(\.starts.attemptsMax, "start-attempts-max")
        seconds(\.starts.ageSecondsMax, "start-age-seconds-max")
        count(\.webhooks.attemptsMax, "webhook-attempts-max")
        seconds(\.webhooks.ageSecondsMax, "webhook-age-seconds-max")
        seconds(\.webhooks.failingSecondsMax, "webhook-failing-seconds-max")
        return rules
    }
}
