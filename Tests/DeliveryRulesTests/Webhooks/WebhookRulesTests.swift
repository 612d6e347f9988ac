import DeliveryRules
import Domain
import Foundation
import TLS
import Testing

private let start = Moment(unixSeconds: 1_800_000_000)

private func answered(_ status: Int, after seconds: Double? = nil) -> WebhookAnswer {
    .answered(status: status, retryAfterSeconds: seconds)
}

@Test func `a message is signed as Standard Webhooks has it`() throws {
    // The vector of the specification's own libraries.
    let secret = try #require(Data(base64Encoded: "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
    let headers = WebhookSignature.headers(
        id: "msg_p5jXN8AQM9LWM0D4loKWxJek", seconds: 1_614_265_330,
        body: Array(#"{"test": 2432232314}"#.utf8),
        secrets: [Array(secret), [UInt8](repeating: 1, count: 32)],
        hmac: { HMACSHA256.code(for: $0, key: $1) })
    #expect(headers.map(\.name) == ["webhook-id", "webhook-timestamp", "webhook-signature"])
    #expect(headers[1].value == "1614265330")
    let signatures = headers[2].value.split(separator: " ")
    #expect(signatures.first == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    #expect(signatures.count == 2)
    #expect(WebhookSignature.shown(secret: Array(secret)).hasPrefix("whsec_MfKQ9r8G"))
}

@Test func `what did not arrive is tried again later and later, then given up`() {
    let rules = WebhookRules()
    var (now, rests): (Moment, [Double]) = (start, [])
    for attempts in 1... {
        let next = rules.retryAt(
            after: answered(500), attempts: attempts, firstTriedAt: start, now: now, chance: 0.5)
        guard let next else {
            #expect(attempts == rules.attemptsMax)
            break
        }
        rests.append(next.seconds(since: now))
        now = next
    }
    #expect(rests == [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400])
}

@Test func `chance spreads the tries, and a receiver may ask for more time`() {
    let rules = WebhookRules()
    func rest(_ answer: WebhookAnswer, chance: Double) -> Double? {
        rules.retryAt(after: answer, attempts: 1, firstTriedAt: start, now: start, chance: chance)?
            .seconds(since: start)
    }
    #expect(rest(answered(500), chance: 0) == 4)
    #expect(rest(answered(500), chance: 1) == 6)
    #expect(rest(answered(429, after: 90), chance: 0.5) == 90)
    #expect(rest(answered(503, after: 90), chance: 0.5) == 90)
    // Others have no such say, and nobody may ask for more than a day.
    #expect(rest(answered(500, after: 90), chance: 0.5) == 5)
    #expect(rest(answered(429, after: 1e9), chance: 0.5) == 86_400)
}

@Test func `nothing is tried beyond its age, or more often than it may be`() {
    var few = WebhookRules()
    few.attemptsMax = 2
    var young = WebhookRules()
    young.ageSecondsMax = 60
    func retryAt(_ rules: WebhookRules, _ attempts: Int) -> Moment? {
        rules.retryAt(
            after: .notAnswered(reason: "too-slow"), attempts: attempts, firstTriedAt: start,
            now: start.adding(seconds: 10), chance: 0.5)
    }
    #expect(retryAt(few, 1) == start.adding(seconds: 15))
    #expect(retryAt(few, 2) == nil)
    #expect(retryAt(young, 1) == start.adding(seconds: 15))
    #expect(retryAt(young, 2) == nil)
}

@Test func `only 2xx has arrived`() {
    for status in [200, 201, 204, 299] { #expect(answered(status).isDelivered) }
    for status in [100, 199, 300, 301, 400, 410, 500] { #expect(!answered(status).isDelivered) }
    #expect(!WebhookAnswer.notAnswered(reason: "broken").isDelivered)
}

@Test func `a webhook at which nothing arrives rests, and is turned off after days`() throws {
    let rules = WebhookRules()
    let bad = [answered(500), .notAnswered(reason: "too-slow")]
    let (first, none) = rules.health(after: bad, WebhookHealth(), now: start)
    #expect(none == nil)
    #expect(first.failingSince == start)
    #expect(first.pausedUntil == start.adding(seconds: 1))
    #expect(first.lastFailure == "too-slow")
    let (second, _) = rules.health(after: bad, first, now: start.adding(seconds: 1))
    #expect(second.failures == 2)
    #expect(second.failingSince == start)
    #expect(second.pausedUntil == start.adding(seconds: 3))
    let (_, stop) = rules.health(after: bad, second, now: start.adding(seconds: 5 * 86_400))
    #expect(stop == .failing)
    let (well, never) = rules.health(
        after: bad + [answered(200)], second, now: start.adding(seconds: 5 * 86_400))
    #expect(never == nil)
    #expect(well.failingSince == nil)
    #expect(well.pausedUntil == nil)
    // A page in which there was nothing to send says nothing.
    let (same, _) = rules.health(after: [], second, now: start.adding(seconds: 9e9))
    #expect(same.failingSince == start)
}

@Test func `410 turns a webhook off, and a request for time is kept for all`() {
    let rules = WebhookRules()
    #expect(rules.health(after: [answered(410)], WebhookHealth(), now: start).1 == .gone)
    let (health, stop) = rules.health(
        after: [answered(200), answered(429, after: 30)], WebhookHealth(), now: start)
    #expect(stop == nil)
    #expect(health.pausedUntil == start.adding(seconds: 30))
    #expect(health.failingSince == nil)
}
