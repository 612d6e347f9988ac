import Domain
import HTTP
import Testing

@testable import Simulator

/// Apple's table of reasons for device pushes, each brought about by what it names.
struct DeviceReasonTests {
    static let headerMistakes: [Mistake] = [
        .header(400, "BadCollapseId", "apns-collapse-id", String(repeating: "x", count: 65)),
        .header(400, "BadCollapseId", "apns-collapse-id", String(repeating: "ü", count: 33)),
        .header(400, "BadExpirationDate", "apns-expiration", "tomorrow"),
        .header(400, "BadExpirationDate", "apns-expiration", "-1"),
        .header(400, "BadExpirationDate", "apns-expiration", "1.5"),
        .header(400, "BadExpirationDate", "apns-expiration", ""),
        .header(400, "BadExpirationDate", "apns-expiration", "99999999999999999999"),
        .header(400, "BadMessageId", "apns-id", "1"),
        .header(400, "BadMessageId", "apns-id", "123E4567-E89B-12D3-A456-4266554400A0"),
        .header(400, "BadMessageId", "apns-id", "123e4567e89b-12d3-a456-4266554400a0-"),
        .header(400, "BadPriority", "apns-priority", "7"),
        .header(400, "BadPriority", "apns-priority", "high"),
        .header(400, "BadPriority", "apns-priority", ""),
        .header(400, "BadTopic", "apns-topic", "dev islet app"),
        .header(400, "BadTopic", "apns-topic", String(repeating: "a", count: 256)),
        .header(400, "DeviceTokenNotForTopic", "apns-topic", "dev.islet.app"),
        .header(400, "TopicDisallowed", "apns-topic", "com.example.push-type.liveactivity"),
        .header(400, "TopicDisallowed", "apns-topic", "dev.islet.app.liveactivity"),
        .header(400, "InvalidPushType", "apns-push-type", nil),
        .header(400, "InvalidPushType", "apns-push-type", "live-activity"),
        .header(400, "DeviceTokenNotForTopic", "apns-push-type", "alert"),
        .header(400, "MissingTopic", "apns-topic", nil),
        .header(403, "MissingProviderToken", "authorization", nil),
        .header(403, "MissingProviderToken", "authorization", "bearer "),
        .header(403, "MissingProviderToken", "authorization", "Basic YTpi"),
        .header(403, "InvalidProviderToken", "authorization", "bearer nonsense"),
    ]

    static let otherMistakes: [Mistake] = [
        Mistake(400, "DuplicateHeaders", "a repeated topic") {
            $0.headers.append("apns-topic", "dev.islet.app.push-type.liveactivity")
        },
        .repeatedToken,
        Mistake(400, "MissingDeviceToken", "no token") { $0.target = "/3/device/" },
        Mistake(400, "MissingDeviceToken", "no token and no slash") { $0.target = "/3/device" },
        Mistake(400, "BadDeviceToken", "an unknown token") {
            $0.target = "/3/device/" + String(repeating: "ab", count: 80)
        },
        Mistake(400, "BadDeviceToken", "a token that is not hexadecimal") {
            $0.target = "/3/device/" + String(repeating: "xy", count: 80)
        },
        Mistake(400, "BadDeviceToken", "a token cut short") { $0.target.removeLast() },
        Mistake(400, "PayloadEmpty", "no body") { $0.body = [] },
        Mistake(404, "BadPath", "an older protocol") { $0.target = "/2/device/abcd" },
        Mistake(404, "BadPath", "a longer path") { $0.target += "/more" },
        Mistake(404, "BadPath", "a path that only begins alike") { $0.target = "/3/devices" },
        Mistake(405, "MethodNotAllowed", "GET") { $0.method = "GET" },
        Mistake(405, "MethodNotAllowed", "a method in lower case") { $0.method = "post" },
        Mistake(413, "PayloadTooLarge", "4097 bytes") {
            $0.body = [UInt8](repeating: 32, count: 4097)
        },
    ]

    @Test(arguments: headerMistakes + otherMistakes)
    func `a mistake is answered with Apple's status and reason`(mistake: Mistake) throws {
        var apple = try Apple()
        var request = apple.request()
        mistake.make(&request)
        let answer = apple.send(request)
        #expect(answer.refusal?.rawValue == mistake.reason)
        #expect(answer.status == mistake.status)
        #expect(answer.response.bodyText == #"{"reason":"\#(mistake.reason)"}"#)
        #expect(apple.slices == "0 slices", "a refused push must not reach the phone")
        #expect(apple.world.apns.tally(of: .pushes).refused == [mistake.reason: 1])
    }

    @Test(arguments: APNsRefusal.allCases)
    func `every reason can be brought about by script, once per count`(
        reason: APNsRefusal
    ) throws {
        var apple = try Apple()
        apple.world.apns.refuseNext(2, reason)
        #expect(apple.send(apple.request()).refusal == reason)
        #expect(apple.send(apple.request()).refusal == reason)
        #expect(apple.send(apple.request()).refusal == nil)
    }

    @Test func `the reasons and statuses are those of Apple's table`() {
        let table: [Int: Set<String>] = [
            400: [
                "BadCollapseId", "BadDeviceToken", "BadExpirationDate", "BadMessageId",
                "BadPriority", "BadTopic", "DeviceTokenNotForTopic", "DuplicateHeaders",
                "IdleTimeout", "InvalidPushType", "MissingDeviceToken", "MissingTopic",
                "PayloadEmpty", "TopicDisallowed",
            ],
            403: [
                "BadCertificate", "BadCertificateEnvironment", "ExpiredProviderToken",
                "Forbidden", "InvalidProviderToken", "MissingProviderToken",
                "UnrelatedKeyIdInToken", "BadEnvironmentKeyIdInToken",
            ],
            404: ["BadPath"], 405: ["MethodNotAllowed"], 410: ["ExpiredToken", "Unregistered"],
            413: ["PayloadTooLarge"], 429: ["TooManyProviderTokenUpdates", "TooManyRequests"],
            500: ["InternalServerError"], 503: ["ServiceUnavailable", "Shutdown"],
        ]
        let channelTable: [Int: Set<String>] = [
            400: [
                "FeatureNotEnabled", "MissingChannelId", "BadChannelId", "ChannelNotRegistered",
                "BadRequestParams", "BadRequestPayload", "MissingPushType",
                "CannotCreateChannelConfig",
            ],
            403: ["TopicMismatch"], 503: ["Service Unavailable"],
        ]
        let ours = Dictionary(grouping: APNsRefusal.allCases, by: \.status)
        #expect(
            ours.mapValues { Set($0.map(\.rawValue)) }
                == table.merging(channelTable) { $0.union($1) })
    }

    @Test func `a token of the other environment is a bad device token`() throws {
        var apple = try Apple(environment: .production, phoneEnvironment: .sandbox)
        #expect(apple.send(apple.request()).refusal == .badDeviceToken)
    }

    @Test(arguments: [TokenDeath.unregistered, .expired])
    func `a dead token answers 410 with the time of death in milliseconds`(
        death: TokenDeath
    ) throws {
        var apple = try Apple()
        let phone = apple.world.phones[0].id
        try apple.world.killTokens(of: phone, death, now: apple.now.adding(seconds: 0.5))
        #expect(apple.send(apple.request()).refusal == nil, "it dies half a second later")
        apple.now = apple.now.adding(seconds: 60)
        let answer = apple.send(apple.request())
        #expect(answer.status == 410)
        #expect(
            answer.response.bodyText
                == #"{"reason":"\#(death.rawValue)","timestamp":1767225600500}"#)
    }

    @Test func `a body of exactly 4096 bytes is accepted`() throws {
        var apple = try Apple()
        var request = apple.request()
        request.body += [UInt8](repeating: 32, count: 4096 - request.body.count)
        #expect(apple.send(request).refusal == nil)
        #expect(apple.slices == "1 slices")
    }
}

extension Response {
    var bodyText: String {
        switch body {
        case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
        case .stream: "<stream>"
        }
    }
}
