import APNs
import Testing

private let origin = PushOrigin(activity: "order-1042", phone: "phone-7", isProven: true)

private func push(_ priority: APNsRequest.Priority = .conserving) -> APNsRequest {
    APNsRequest.device(
        tokenHex: "0f0f", bundleID: "com.example.pizza", apnsID: "id", priority: priority,
        expiration: 0, body: Array("{}".utf8), origin: origin)
}

private let broadcast = APNsRequest.broadcast(
    bundleID: "com.example.pizza", channelID: "c==", requestID: "r", priority: .conserving,
    expiration: 28_800, body: Array("{\"a\":1}".utf8))

private let requests = [
    push(), broadcast,
    APNsRequest.createChannel(bundleID: "com.example.pizza", requestID: "r", storesNewest: false),
    APNsRequest.deleteChannel(bundleID: "com.example.pizza", channelID: "c==", requestID: "r"),
    APNsRequest.listChannels(bundleID: "com.example.pizza", requestID: "r"),
]

private func header(_ name: String, of request: APNsRequest) -> [String] {
    request.headers.filter { $0.name == name }.map(\.value)
}

@Test(arguments: requests)
func `a request has header names in lower case, each once, and no provider token`(
    request: APNsRequest
) {
    let names = request.headers.map(\.name)
    #expect(Set(names).count == names.count)
    #expect(names.allSatisfy { $0 == $0.lowercased() && $0.hasPrefix("apns-") })
    #expect(request.headers.allSatisfy { !$0.value.isEmpty })
    // APNs answers `BadPath` to any other.
    #expect(request.path.hasPrefix("/") && !request.path.contains("//"))
}

@Test func `the service, the method and what a log shows follow from what a request is`() {
    #expect(requests.map(\.service) == [.push, .broadcast, .channel, .channel, .channel])
    #expect(requests.map(\.method) == [.post, .post, .post, .delete, .get])
    #expect(
        requests.map { "\($0)" } == [
            "<push request of 2 bytes>", "<broadcast request of 7 bytes>",
            "<channel request of 55 bytes>", "<channel request of 0 bytes>",
            "<channel request of 0 bytes>",
        ])
}

@Test func `a priority is Apple's number for it`() {
    #expect(header("apns-priority", of: push(.conserving)) == ["5"])
    #expect(header("apns-priority", of: push(.immediate)) == ["10"])
    #expect(header("apns-priority", of: broadcast) == ["5"])
}

@Test func `an expiration is seconds, and 0 is sent as such`() {
    #expect(header("apns-expiration", of: push()) == ["0"])
    #expect(header("apns-expiration", of: broadcast) == ["28800"])
}

/// With the suffix that a device push needs, APNs answers `TopicDisallowed` to a broadcast.
@Test func `only a push to a device names the topic of Live Activities`() {
    #expect(
        header("apns-topic", of: push()) == ["com.example.pizza.push-type.liveactivity"])
    for request in requests.dropFirst() {
        #expect(header("apns-topic", of: request) == [])
        #expect(!request.path.contains("push-type"))
        #expect(request.path.contains("/com.example.pizza"))
    }
}

@Test func `nothing of a push's origin is sent`() {
    let request = push()
    #expect(request.origin == origin)
    let sent = request.headers.map { $0.name + $0.value } + [request.path]
    for secret in [origin.activity, origin.phone] {
        #expect(sent.allSatisfy { !$0.contains(secret) })
    }
    #expect(request.body == Array("{}".utf8))
}

@Test func `a channel that stores nothing says so`() {
    #expect(
        String(decoding: requests[2].body, as: UTF8.self)
            == #"{"message-storage-policy":0,"push-type":"LiveActivity"}"#)
    #expect(header("apns-request-id", of: requests[2]) == ["r"])
    #expect(header("apns-channel-id", of: requests[2]) == [])
}
