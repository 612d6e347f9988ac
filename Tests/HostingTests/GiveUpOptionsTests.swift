import DeliveryRules
import Terminal
import Testing

@testable import Hosting

struct `What does not get through` {
    @Test func `is given up after what the reference says`() throws {
        let rules = GiveUpOptions.rules(try serveArguments())
        #expect(rules.pushes.attemptsMax == 100)
        #expect(rules.pushes.ageSecondsMax == 28_800)
        #expect(rules.starts.attemptsMax == 5)
        #expect(rules.starts.ageSecondsMax == 600)
        #expect(rules.webhooks.attemptsMax == 10)
        #expect(rules.webhooks.ageSecondsMax == 432_000)
        #expect(rules.webhooks.failingSecondsMax == 432_000)
    }

    @Test func `is given up as each option says, and no other one`() throws {
        let rules = GiveUpOptions.rules(
            try serveArguments([
                "--push-attempts-max", "2", "--push-age-seconds-max", "61",
                "--start-attempts-max", "3", "--start-age-seconds-max", "62",
                "--webhook-attempts-max", "4", "--webhook-age-seconds-max", "63",
                "--webhook-failing-seconds-max", "3601",
            ]))
        #expect(rules.pushes.attemptsMax == 2)
        #expect(rules.pushes.ageSecondsMax == 61)
        #expect(rules.starts.attemptsMax == 3)
        #expect(rules.starts.ageSecondsMax == 62)
        #expect(rules.webhooks.attemptsMax == 4)
        #expect(rules.webhooks.ageSecondsMax == 63)
        #expect(rules.webhooks.failingSecondsMax == 3_601)
    }

    @Test(arguments: [
        "push-attempts-max", "start-attempts-max", "webhook-attempts-max",
        "webhook-failing-seconds-max",
    ])
    func `is tried at least once`(option: String) {
        let failure = #expect(throws: CommandFailure.self) {
            try serveArguments(["--\(option)", "0"])
        }
        #expect(failure?.text.hasPrefix("--\(option) must be a whole number from ") == true)
    }

    @Test func `may have no second try where only the age is set to nothing`() throws {
        let rules = GiveUpOptions.rules(
            try serveArguments(["--start-age-seconds-max", "0", "--webhook-age-seconds-max", "0"]))
        #expect(rules.starts.ageSecondsMax == 0)
        #expect(rules.webhooks.ageSecondsMax == 0)
    }
}
