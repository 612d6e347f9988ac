import APNs
import Testing

private let token = String(repeating: "0f", count: 80)

private let request = APNsRequest.device(
    tokenHex: token, bundleID: "dev.islet.demo", apnsID: "0e6ffa5c-5ef2-4ea0-8f3c-4d0a5f7b9d10",
    priority: .immediate, expiration: 1_757_509_200, body: Array("{}".utf8))

@Test func `a device push has exactly the headers Apple asks for`() {
    #expect(request.path == "/3/device/\(token)")
    #expect(
        request.headers == [
            .init("apns-push-type", "liveactivity"),
            .init("apns-topic", "dev.islet.demo.push-type.liveactivity"),
            .init("apns-priority", "10"),
            .init("apns-expiration", "1757509200"),
            .init("apns-id", "0e6ffa5c-5ef2-4ea0-8f3c-4d0a5f7b9d10"),
        ])
}

@Test func `a push never shows its token when it is printed`() {
    #expect(!"\(request)".contains("0f0f"))
    #expect(!String(reflecting: request).contains("0f0f"))
    var dumped = ""
    dump(request, to: &dumped)
    #expect(!dumped.contains("0f0f"))
}
