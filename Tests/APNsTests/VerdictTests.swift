import APNs
import Testing

/// Apple's table for device pushes with this project's reading of each row.
private let table: [(status: Int, reason: String, verdict: DeliveryVerdict)] = [
    (400, "BadCollapseId", .pushRefused),
    (400, "BadDeviceToken", .tokenUnfit),
    (400, "BadExpirationDate", .pushRefused),
    (400, "BadMessageId", .pushRefused),
    (400, "BadPriority", .pushRefused),
    (400, "BadTopic", .credentialsRefused),
    (400, "DeviceTokenNotForTopic", .tokenUnfit),
    (400, "DuplicateHeaders", .pushRefused),
    (400, "IdleTimeout", .retryLater),
    (400, "InvalidPushType", .pushRefused),
    (400, "MissingDeviceToken", .pushRefused),
    (400, "MissingTopic", .pushRefused),
    (400, "PayloadEmpty", .pushRefused),
    (400, "TopicDisallowed", .credentialsRefused),
    (403, "BadCertificate", .credentialsRefused),
    (403, "BadCertificateEnvironment", .credentialsRefused),
    (403, "BadEnvironmentKeyIdInToken", .credentialsRefused),
    (403, "ExpiredProviderToken", .connectionUnfit),
    (403, "Forbidden", .credentialsRefused),
    (403, "InvalidProviderToken", .credentialsRefused),
    (403, "MissingProviderToken", .credentialsRefused),
    (403, "UnrelatedKeyIdInToken", .connectionUnfit),
    (404, "BadPath", .pushRefused),
    (405, "MethodNotAllowed", .pushRefused),
    (410, "ExpiredToken", .tokenDead(sinceMilliseconds: 1_757_505_600_123)),
    (410, "Unregistered", .tokenDead(sinceMilliseconds: 1_757_505_600_123)),
    (413, "PayloadTooLarge", .pushRefused),
    (429, "TooManyProviderTokenUpdates", .retryLater),
    (429, "TooManyRequests", .retryLater),
    (500, "InternalServerError", .retryLater),
    (503, "ServiceUnavailable", .retryLater),
    (503, "Shutdown", .retryLater),
]

@Test func `every reason of Apple's table has the verdict that the table gives it`() {
    #expect(Set(table.map(\.reason)) == Set(Reason.Known.allCases.map(\.rawValue)))
    for row in table {
        let body = #"{"reason":"\#(row.reason)","timestamp":1757505600123}"#
        let response = PushResponse(status: row.status, body: Array(body.utf8))
        #expect(response.verdict == row.verdict, "\(row.reason)")
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

@Test(arguments: ["", "<html>", "[1]", #"{"reason":7}"#])
func `a body that is no JSON object with a reason is tolerated`(body: String) {
    let response = PushResponse(status: 503, body: Array(body.utf8))
    #expect(response.reason == nil)
    #expect(response.verdict == .retryLater)
}
