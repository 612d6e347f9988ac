import Domain
import HTTP
import Testing

@testable import Simulator

/// Apple's table of reasons for broadcasts and channel management, each brought about by what it
/// names.
struct ChannelReasonTests {
    /// Wrong in the same way on both ports.
    static let common: [Mistake] = [
        .header(403, "MissingProviderToken", "authorization", nil),
        .header(403, "InvalidProviderToken", "authorization", "bearer nonsense"),
        .header(
            403, "ExpiredProviderToken", "authorization",
            "bearer \(Apple.providerToken(issuedAt: Apple.start.unixSeconds - 3601))"),
        .header(400, "BadMessageId", "apns-request-id", "1"),
        .header(400, "BadMessageId", "apns-request-id", Broadcaster.requestID.uppercased()),
        .repeatedToken,
        Mistake(400, "TopicDisallowed", "a suffix on the bundle id") {
            $0.target = $0.target.replacing(
                Apple.bundleID, with: "\(Apple.bundleID).push-type.liveactivity")
        },
        Mistake(403, "TopicMismatch", "another team's bundle id") {
            $0.target = $0.target.replacing(Apple.bundleID, with: "com.example.app")
        },
        Mistake(404, "BadPath", "a path without bundle id") {
            $0.target = $0.target.replacing("/\(Apple.bundleID)", with: "")
        },
        Mistake(404, "BadPath", "a longer path") { $0.target += "/more" },
        Mistake(404, "BadPath", "another version") {
            $0.target = "/2" + $0.target.dropFirst(2)
        },
        Mistake(405, "MethodNotAllowed", "PUT") { $0.method = "PUT" },
    ]

    /// Wrong for whatever names a channel.
    static let channel: [Mistake] = [
        .header(400, "MissingChannelId", "apns-channel-id", nil),
        .header(400, "MissingChannelId", "apns-channel-id", ""),
        .header(400, "BadChannelId", "apns-channel-id", "not base64"),
        .header(400, "BadChannelId", "apns-channel-id", String(repeating: "AAAA", count: 33)),
        .header(400, "ChannelNotRegistered", "apns-channel-id", "dGhlcmUgaXMgbm9uZQ=="),
    ]

    static let broadcast: [Mistake] = [
        .header(400, "MissingPushType", "apns-push-type", nil),
        .header(400, "InvalidPushType", "apns-push-type", "alert"),
        .header(400, "InvalidPushType", "apns-push-type", "LiveActivity"),
        .header(400, "BadPriority", "apns-priority", nil),
        .header(400, "BadPriority", "apns-priority", "7"),
        .header(400, "BadExpirationDate", "apns-expiration", nil),
        .header(400, "BadExpirationDate", "apns-expiration", "soon"),
        .header(400, "BadExpirationDate", "apns-expiration", "1767229200"),
        .body(400, "PayloadEmpty", ""),
        .body(400, "BadRequestPayload", "aps"),
        .body(400, "BadRequestPayload", "[]"),
        .body(413, "PayloadTooLarge", #"{"aps":{}}"# + String(repeating: " ", count: 5111)),
        Mistake(405, "MethodNotAllowed", "GET") { $0.method = "GET" },
    ]

    static let creation: [Mistake] = [
        .body(400, "PayloadEmpty", ""),
        .body(400, "BadRequestPayload", "0"),
        .body(400, "BadRequestPayload", "{"),
        .body(400, "BadRequestParams", #"{"push-type":"LiveActivity"}"#),
        .body(400, "BadRequestParams", #"{"message-storage-policy":2,"push-type":"LiveActivity"}"#),
        .body(
            400, "BadRequestParams", #"{"message-storage-policy":"0","push-type":"LiveActivity"}"#),
        .body(
            400, "BadRequestParams",
            #"{"message-storage-policy":0,"push-type":"LiveActivity","name":"final"}"#),
        .body(400, "MissingPushType", #"{"message-storage-policy":0}"#),
        .body(400, "InvalidPushType", #"{"message-storage-policy":0,"push-type":"liveactivity"}"#),
        .body(400, "InvalidPushType", #"{"message-storage-policy":0,"push-type":7}"#),
    ]

    private func expect(_ mistake: Mistake, _ answer: APNsAnswer) {
        #expect(answer.refusal?.rawValue == mistake.reason)
        #expect(answer.status == mistake.status)
        #expect(answer.response.status == mistake.status)
        #expect(answer.response.bodyText == #"{"reason":"\#(mistake.reason)"}"#)
        #expect(answer.response.headers["apns-channel-id"] == nil)
    }

    @Test(arguments: common + channel + broadcast)
    func `a mistake in a broadcast is answered with Apple's status and reason`(
        mistake: Mistake
    ) throws {
        var sender = try Broadcaster()
        let phone = try sender.addListener("Ann")
        var request = sender.request()
        mistake.make(&request)
        expect(mistake, sender.send(request))
        #expect(sender.slices(on: phone) == "0 slices", "nothing reaches the phone")
        #expect(sender.apple.world.apns.tally(of: .broadcasts).refused == [mistake.reason: 1])
    }

    @Test(arguments: common + creation)
    func `a mistake in making a channel is answered with Apple's status and reason`(
        mistake: Mistake
    ) throws {
        var sender = try Broadcaster()
        var request = sender.call("POST", body: Broadcaster.newChannel)
        mistake.make(&request)
        expect(mistake, sender.manage(request))
        #expect(sender.apple.world.apns.channels(of: Apple.bundleID).count == 1)
    }

    @Test(arguments: ["GET", "DELETE"], common + channel)
    func `a mistake in naming a channel is answered with Apple's status and reason`(
        method: String, mistake: Mistake
    ) throws {
        var sender = try Broadcaster()
        var request = sender.call(method)
        mistake.make(&request)
        expect(mistake, sender.manage(request))
        #expect(sender.apple.world.apns.channels(of: Apple.bundleID).count == 1)
    }

    @Test(arguments: common + [Mistake(405, "MethodNotAllowed", "POST") { $0.method = "POST" }])
    func `a mistake in listing channels is answered with Apple's status and reason`(
        mistake: Mistake
    ) throws {
        var sender = try Broadcaster()
        var request = sender.call("GET", path: Broadcaster.listPath)
        mistake.make(&request)
        expect(mistake, sender.manage(request))
    }

    @Test func `an app without the capability is refused, and has lost its channels`() throws {
        var sender = try Broadcaster()
        sender.apple.world.apns.setBroadcast(isEnabled: false)
        let refusals = [
            sender.send(sender.request()), sender.manage(sender.call("GET")),
            sender.manage(sender.call("POST", body: Broadcaster.newChannel)),
            sender.manage(sender.call("GET", path: Broadcaster.listPath)),
        ].map(\.refusal)
        #expect(refusals == Array(repeating: .featureNotEnabled, count: 4))
        sender.apple.world.apns.setBroadcast(isEnabled: true)
        #expect(sender.send(sender.request()).refusal == .channelNotRegistered)
    }

    @Test func `beyond the limit no channel is made until one is deleted`() throws {
        var rules = BroadcastRules()
        #expect(rules.channelsMax == 10_000)
        rules.channelsMax = 2
        var sender = try Broadcaster(rules: rules)
        let create = sender.call("POST", body: Broadcaster.newChannel)
        #expect(sender.manage(create).status == 201)
        #expect(sender.manage(create).refusal == .cannotCreateChannelConfig)
        #expect(sender.manage(sender.call("DELETE")).status == 204)
        #expect(sender.manage(create).status == 201)
    }

    @Test func `a channel may be throttled by a rule`() throws {
        var rules = BroadcastRules()
        rules.intervalSecondsMin = 1
        var sender = try Broadcaster(rules: rules)
        #expect(sender.send(sender.request()).refusal == nil)
        sender.apple.now = sender.apple.now.adding(seconds: 0.9)
        let again = sender.send(sender.request())
        #expect(again.refusal == .tooManyRequests)
        #expect(again.status == 429)
        let other = try sender.apple.world.addChannel(.none)
        #expect(sender.send(sender.request(["apns-channel-id": other])).refusal == nil)
        sender.apple.now = sender.apple.now.adding(seconds: 0.1)
        #expect(sender.send(sender.request()).refusal == nil)
    }

    @Test(arguments: APNsRefusal.allCases)
    func `every reason can be scripted for one service without touching the others`(
        reason: APNsRefusal
    ) throws {
        var sender = try Broadcaster()
        sender.apple.world.apns.refuseNext(1, reason, of: .broadcasts)
        sender.apple.world.apns.refuseNext(2, reason, of: .channels)
        #expect(sender.apple.send(sender.apple.request()).refusal == nil)
        #expect(sender.send(sender.request()).refusal == reason)
        #expect(sender.send(sender.request()).refusal == nil)
        #expect(sender.manage(sender.call("GET")).refusal == reason)
        #expect(sender.manage(sender.call("GET", path: Broadcaster.listPath)).refusal == reason)
        #expect(sender.manage(sender.call("GET")).refusal == nil)
    }
}
