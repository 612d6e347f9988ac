import APNs
import DeliveryRules
import Domain
import Testing

private let start = Moment(unixSeconds: 1_800_000_000)

@Test func `a push is given up when it failed too often or is too old`() {
    var rules = GiveUpRules().pushes
    rules.attemptsMax = 3
    rules.ageSecondsMax = 60
    #expect(!rules.isExhausted(attempts: 2, since: start, now: start.adding(seconds: 60)))
    #expect(rules.isExhausted(attempts: 3, since: start, now: start))
    #expect(rules.isExhausted(attempts: 1, since: start, now: start.adding(seconds: 61)))
}

@Test func `a start is tried as often and as long as the rules say`() {
    func next(_ rules: GiveUpRules.Bounds, attempts: Int, after seconds: Double) -> StartState {
        StartMachine.answered(
            CardStart(state: .trying, attempts: attempts, firstTriedAt: start),
            .notAnswered(reason: "refused-stream", mayHaveBeenDelivered: false),
            tokenPutAt: start, at: start.adding(seconds: seconds), under: rules
        ).start.state
    }
    var few = GiveUpRules().starts
    few.attemptsMax = 2
    #expect(next(few, attempts: 1, after: 1) == .waiting)
    #expect(next(few, attempts: 2, after: 1) == .refused)
    var young = GiveUpRules().starts
    young.ageSecondsMax = 60
    #expect(next(young, attempts: 1, after: 59) == .waiting)
    #expect(next(young, attempts: 1, after: 60) == .refused)
    #expect(next(GiveUpRules().starts, attempts: 1, after: 61) == .waiting)
}
