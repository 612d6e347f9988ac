import APNs
import Testing

/// Apple's tables with this project's reading of each row.
private let table: [(status: Int, reason: String, verdict: DeliveryVerdict)] = [
    (400, "BadCollapseId", .requestRefused),
    (400, "BadDeviceToken", .tokenUnfit),
    (400, "BadExpirationDate", .requestRefused),
    (400, "BadMessageId", .requestRefused),
    (400, "BadPriority", .requestRefused),
    (400, "BadTopic", .credentialsRefused),
    (400, "DeviceTokenNotForTopic", .tokenUnfit),
    (400, "DuplicateHeaders", .requestRefused),
    (400, "IdleTimeout", .retryLater),
    (400, "InvalidPushType", .requestRefused),
    (400, "MissingDeviceToken", .requestRefused),
    (400, "MissingTopic", .requestRefused),
    (400, "PayloadEmpty", .requestRefused),
    (400, "TopicDisallowed", .credentialsRefused),
    (403, "BadCertificate", .credentialsRefused),
    (403, "BadCertificateEnvironment", .credentialsRefused),
    (403, "BadEnvironmentKeyIdInToken", .credentialsRefused),
    (403, "ExpiredProviderToken", .connectionUnfit),
    (403, "Forbidden", .credentialsRefused),
    (403, "InvalidProviderToken", .credentialsRefused),
    (403, "MissingProviderToken", .credentialsRefused),
    (403, "UnrelatedKeyIdInToken", .connectionUnfit),
    (404, "BadPath", .requestRefused),
    (405, "MethodNotAllowed", .requestRefused),
    (410, "ExpiredToken", .tokenDead(sinceMilliseconds: 1_757_505_600_123)),
    (410, "Unregistered", .tokenDead(sinceMilliseconds: 1_757_505_600_123)),
    (413, "PayloadTooLarge", .requestRefused),
    (429, "TooManyProviderTokenUpdates", .retryLater),
    (429, "TooManyRequests", .retryLater),
    (500, "InternalServerError", .retryLater),
    (503, "ServiceUnavailable", .retryLater),
    (503, "Shutdown", .retryLater),
    // Of broadcasts and channels only.
    (400, "FeatureNotEnabled", .featureDisabled),
    (400, "MissingChannelId", .requestRefused),
    (400, "BadChannelId", .requestRefused),
    (400, "ChannelNotRegistered", .channelGone),
    (400, "BadRequestParams", .requestRefused),
    (400, "BadRequestPayload", .requestRefused),
    (400, "MissingPushType", .requestRefused),
    (400, "CannotCreateChannelConfig", .limitReached),
    (403, "TopicMismatch", .credentialsRefused),
    (503, "Service Unavailable", .retryLater),
]

@Test func `every reason of Apple's tables has the verdict that the table here gives it`() {
    #expect(Set(table.map(\.reason)) == Set(Reason.Known.allCases.map(\.rawValue)))
    for row in table {
        let body = #"{"reason":"\#(row.reason)","timestamp":1757505600123}"#
        let response = PushResponse(status: row.status, body: Array(body.utf8))
        #expect(response.verdict == row.verdict, "\(row.reason)")
        #expect(response.failure == row.reason)
    }
}

@Test func `success is accepted and nothing more`() {
    #expect(PushResponse(status: 200, body: []).verdict == .accepted)
}

@Test func `an unknown reason is kept and judged by its status`() {
    let body = Array(#"{"reason":"BrandNew"}"#.utf8)
    let response = PushResponse(status: 410, body: body)
    #expect(response.reason == .unknown("BrandNew"))
    // Another server in APNs' place may say anything, and the database takes no NUL.
    #expect(Reason("a\u{0}b\u{1b}[2Jé") == .unknown("ab[2J"))
    #expect(Reason(String(repeating: "x", count: 1_000)).text.utf8.count == 64)
    #expect(response.verdict == .tokenDead(sinceMilliseconds: nil))
}

@Test(
    arguments: [
        (400, .requestRefused), (403, .credentialsRefused), (429, .retryLater), (503, .retryLater),
    ] as [(Int, DeliveryVerdict)])
func `an unknown reason has the verdict of its status`(status: Int, verdict: DeliveryVerdict) {
    let response = PushResponse(status: status, body: Array(#"{"reason":"BrandNew"}"#.utf8))
    #expect(response.verdict == verdict)
}

@Test(arguments: ["", "<html>", "[1]", #"{"reason":7}"#])
func `a body that is no JSON object with a reason is tolerated`(body: String) {
    let response = PushResponse(status: 503, body: Array(body.utf8))
    #expect(response.reason == nil)
    #expect(response.verdict == .retryLater)
}

/// Else a token of the other environment would be pushed to for ever.
@Test(arguments: [
    #"{"reason":"BadDeviceToken","timestamp":"1757505600123"}"#,
    #"{"reason":"BadDeviceToken","timestamp":1757505600.5,"channels":7}"#,
])
func `a reason counts although another member cannot be read`(body: String) {
    let response = PushResponse(status: 400, body: Array(body.utf8))
    #expect(response.reason == .known(.badDeviceToken))
    #expect(response.timestampMilliseconds == nil)
    #expect(response.verdict == .tokenUnfit)
}
