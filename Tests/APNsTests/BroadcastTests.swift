import APNs
import Testing

/// Apple's table for channels with this project's reading of each row.
private let table: [(status: Int, reason: String, verdict: BroadcastVerdict)] = [
    (400, "FeatureNotEnabled", .featureDisabled),
    (400, "MissingChannelId", .requestRefused),
    (400, "BadChannelId", .requestRefused),
    (400, "ChannelNotRegistered", .channelGone),
    (400, "BadRequestParams", .requestRefused),
    (400, "BadRequestPayload", .requestRefused),
    (400, "PayloadEmpty", .requestRefused),
    (400, "BadMessageId", .requestRefused),
    (400, "BadPriority", .requestRefused),
    (400, "MissingPushType", .requestRefused),
    (400, "InvalidPushType", .requestRefused),
    (400, "CannotCreateChannelConfig", .limitReached),
    (400, "BadExpirationDate", .requestRefused),
    (400, "TopicDisallowed", .credentialsRefused),
    (403, "TopicMismatch", .credentialsRefused),
    (403, "BadCertificate", .credentialsRefused),
    (403, "BadCertificateEnvironment", .credentialsRefused),
    (403, "MissingProviderToken", .credentialsRefused),
    (403, "ExpiredProviderToken", .retryLater),
    (403, "InvalidProviderToken", .credentialsRefused),
    (404, "BadPath", .requestRefused),
    (405, "MethodNotAllowed", .requestRefused),
    (413, "PayloadTooLarge", .requestRefused),
    (429, "TooManyRequests", .retryLater),
    (429, "TooManyProviderTokenUpdates", .retryLater),
    (500, "InternalServerError", .retryLater),
    (503, "Service Unavailable", .retryLater),
    (503, "Shutdown", .retryLater),
]

private func answer(_ status: Int, _ body: String) -> BroadcastResponse {
    BroadcastResponse(status: status, channelID: nil, body: Array(body.utf8))
}

@Test func `every reason of Apple's table for channels has the verdict that it gives`() {
    #expect(Set(table.map(\.reason)) == Set(BroadcastReason.Known.allCases.map(\.rawValue)))
    for row in table {
        let response = answer(row.status, #"{"reason":"\#(row.reason)"}"#)
        #expect(response.verdict == row.verdict, "\(row.reason)")
        #expect(response.failure == row.reason)
    }
}

@Test func `both spellings of an unavailable service are one`() {
    #expect(BroadcastReason("ServiceUnavailable") == BroadcastReason("Service Unavailable"))
}

@Test func `of an unknown reason about a channel only what can be kept is kept`() {
    let response = answer(400, #"{"reason":"a\u0000b\u001b[2Jé"}"#)
    #expect(response.reason == .unknown("ab[2J"))
    #expect(BroadcastReason(String(repeating: "x", count: 1_000)).text.utf8.count == 64)
}

@Test(
    arguments: [
        (400, .requestRefused), (403, .credentialsRefused), (429, .retryLater), (503, .retryLater),
    ] as [(Int, BroadcastVerdict)])
func `an unknown reason about a channel is kept and judged by its status`(
    status: Int, verdict: BroadcastVerdict
) {
    let response = answer(status, #"{"reason":"BrandNew"}"#)
    #expect(response.reason == .unknown("BrandNew"))
    #expect(response.verdict == verdict)
}

@Test(arguments: [201, 204, 200])
func `every success about a channel is one`(status: Int) {
    #expect(answer(status, "").verdict == .accepted)
}

@Test func `a list of channels is read, and anything else tolerated`() {
    #expect(answer(200, #"{"channels":["dHN0==","x"]}"#).channelIDs == ["dHN0==", "x"])
    for body in ["", "<html>", "[1]", #"{"channels":7}"#] {
        #expect(answer(200, body).channelIDs == nil, "\(body)")
    }
}

@Test func `a broadcast names its channel and the plain app`() {
    let request = BroadcastRequest.broadcast(
        bundleID: "com.example.scores", channelID: "dHN0LXNyY2gtY2hubA==",
        requestID: "00000000-0000-4000-8000-000000000001", priority: .immediate, expiration: 0,
        body: [1])
    #expect(request.method == .post)
    #expect(request.path == "/4/broadcasts/apps/com.example.scores")
    #expect(
        request.headers == [
            .init("apns-channel-id", "dHN0LXNyY2gtY2hubA=="),
            .init("apns-push-type", "liveactivity"), .init("apns-priority", "10"),
            .init("apns-expiration", "0"),
            .init("apns-request-id", "00000000-0000-4000-8000-000000000001"),
        ])
    #expect(!"\(request)".contains("dHN0"))
}

@Test func `channels are managed on paths of their own`() {
    let made = BroadcastRequest.createChannel(
        bundleID: "com.example", requestID: "r", storesNewest: true)
    #expect(made.path == "/1/apps/com.example/channels")
    #expect(
        String(decoding: made.body, as: UTF8.self)
            == #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#)
    let deleted = BroadcastRequest.deleteChannel(
        bundleID: "com.example", channelID: "c", requestID: "r")
    #expect(deleted.method == .delete)
    #expect(deleted.path == made.path)
    #expect(deleted.headers.contains(.init("apns-channel-id", "c")))
    #expect(deleted.body.isEmpty)
    let list = BroadcastRequest.listChannels(bundleID: "com.example", requestID: "r")
    #expect(list.method == .get)
    #expect(list.path == "/1/apps/com.example/all-channels")
}
