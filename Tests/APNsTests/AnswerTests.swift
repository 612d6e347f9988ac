import APNs
import Testing

private func answer(_ status: Int, _ body: String) -> PushResponse {
    PushResponse(status: status, body: Array(body.utf8))
}

/// Apple's table of status codes, and what it does not have.
@Test func `an answer without a reason has the verdict of its status`() {
    for status in 0..<1_000 {
        let expected: DeliveryVerdict =
            switch status {
            case 200..<300: .accepted
            case 403: .credentialsRefused
            case 410: .tokenDead(sinceMilliseconds: nil)
            case 429, 500...: .retryLater
            default: .requestRefused
            }
        #expect(answer(status, "").verdict == expected, "\(status)")
        #expect(answer(status, #"{"reason":"BrandNew"}"#).verdict == expected, "\(status)")
    }
}

@Test func `a reason that is known counts for more than a status, except for a success`() {
    for status in [400, 403, 404, 410, 429, 500, 503] {
        #expect(answer(status, #"{"reason":"BadDeviceToken"}"#).verdict == .tokenUnfit)
        #expect(answer(status, #"{"reason":"Shutdown"}"#).verdict == .retryLater)
        #expect(
            answer(status, #"{"reason":"Unregistered"}"#).verdict
                == .tokenDead(sinceMilliseconds: nil))
    }
    #expect(answer(200, #"{"reason":"BadDeviceToken"}"#).verdict == .accepted)
}

@Test func `a dead token died at the time that APNs names`() {
    let since: Int64 = 1_757_505_600_123
    for reason in ["Unregistered", "ExpiredToken", "BrandNew"] {
        let dead = answer(410, #"{"reason":"\#(reason)","timestamp":\#(since)}"#)
        #expect(dead.timestampMilliseconds == since)
        #expect(dead.verdict == .tokenDead(sinceMilliseconds: since))
    }
    #expect(answer(410, #"{"timestamp":1}"#).verdict == .tokenDead(sinceMilliseconds: 1))
    // It says nothing about a token that is of the other environment.
    #expect(answer(400, #"{"reason":"BadDeviceToken","timestamp":1}"#).verdict == .tokenUnfit)
}

@Test(arguments: [
    #"{"reason":"BadDeviceToken","more":{"a":[1]}}"#,
    #"{"timestamp":null,"reason":"BadDeviceToken"}"#,
    " {\n\"reason\" : \"BadDeviceToken\" } ", #"{"reason":"Bad\u0044eviceToken"}"#,
])
func `a reason is read beside whatever else APNs adds`(body: String) {
    #expect(answer(400, body).reason == .known(.badDeviceToken))
}

@Test func `every reason is the one that its text names`() {
    for known in Reason.Known.allCases {
        #expect(Reason(known.rawValue) == .known(known))
        #expect(Reason.known(known).text == known.rawValue)
        // Apple's spelling is exact.
        #expect(Reason(known.rawValue.lowercased()) != .known(known))
    }
    #expect(Reason("Bad Mood") == .unknown("BadMood"))
    #expect(Reason("") == .unknown(""))
    #expect(Reason("\u{7f}~!\u{80}") == .unknown("~!"))
}

@Test func `an unknown reason is the same one when it is read again`() {
    for text in ["Bad Mood", "x\u{0}y", String(repeating: "long", count: 40), "ü"] {
        let reason = Reason(text)
        #expect(Reason(reason.text) == reason)
    }
}

@Test func `a failure is named by its reason, or else by its status`() {
    #expect(answer(400, #"{"reason":"BadTopic"}"#).failure == "BadTopic")
    #expect(answer(502, "<html>").failure == "status 502")
    #expect(PushResult.answered(answer(502, "")).failure == "status 502")
    #expect(
        PushResult.notAnswered(reason: "no route", mayHaveBeenDelivered: false).failure
            == "no route")
    #expect(PushResult.deferred(reason: "no-key", seconds: 5).failure == "no-key")
}

/// What was not answered may be tried again, and never counts as an answer of any sort.
@Test func `only what APNs has answered has a verdict`() {
    #expect(PushResult.answered(answer(200, "")).verdict == .accepted)
    #expect(PushResult.answered(answer(429, "")).verdict == .retryLater)
    #expect(PushResult.notAnswered(reason: "", mayHaveBeenDelivered: true).verdict == nil)
    #expect(PushResult.deferred(reason: "", seconds: 0).verdict == nil)
}

@Test func `a channel that was made is named beside an empty body`() {
    let made = PushResponse(status: 201, channelID: "dHN0", body: [])
    #expect(made.channelID == "dHN0" && made.channelIDs == nil && made.reason == nil)
    #expect(answer(200, #"{"channels":[]}"#).channelIDs == [])
    #expect(answer(200, #"{"channels":["a",1]}"#).channelIDs == nil)
}
