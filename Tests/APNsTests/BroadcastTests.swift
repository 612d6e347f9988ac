import APNs
import Testing

private func answer(_ status: Int, _ body: String) -> PushResponse {
    PushResponse(status: status, body: Array(body.utf8))
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
    let request = APNsRequest.broadcast(
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
    let made = APNsRequest.createChannel(
        bundleID: "com.example", requestID: "r", storesNewest: true)
    #expect(made.path == "/1/apps/com.example/channels")
    #expect(
        String(decoding: made.body, as: UTF8.self)
            == #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#)
    let deleted = APNsRequest.deleteChannel(
        bundleID: "com.example", channelID: "c", requestID: "r")
    #expect(deleted.method == .delete)
    #expect(deleted.path == made.path)
    #expect(deleted.headers.contains(.init("apns-channel-id", "c")))
    #expect(deleted.body.isEmpty)
    let list = APNsRequest.listChannels(bundleID: "com.example", requestID: "r")
    #expect(list.method == .get)
    #expect(list.path == "/1/apps/com.example/all-channels")
}
