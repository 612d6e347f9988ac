import APNs
import Domain
import Foundation
import Simulator

/// A push as it came to APNs, read without Islet's own code.
struct SentPush {
    struct Words: Decodable, Hashable {
        var title: String
        var body: String
    }

    var tokenHex: String
    var session = 0
    var at: Moment
    var isImmediate = false
    var event = ""
    var timestamp: Int64 = 0
    var words: Words?
    var contentState: Data
    /// Of a start.
    var startedActivity: ActivityID?
    /// Nil when APNs accepted it.
    var refusal: APNsRefusal?
    /// The refusal is one that the weather brought.
    var isExpected = false
    /// The phone has obeyed it.
    var isObeyed = false

    init(_ request: APNsRequest, session: Int, at moment: Moment) {
        self.init(
            request.body, to: String(request.path.split(separator: "/").last ?? ""), at: moment)
        self.session = session
        isImmediate = request.headers.contains { $0.name == "apns-priority" && $0.value == "10" }
    }

    /// - Parameter address: a token, or a channel's id.
    init(_ body: [UInt8], to address: String, at moment: Moment) {
        struct Body: Decodable {
            struct APS: Decodable {
                struct Attributes: Decodable { var activityID: String? }
                var event: String
                var timestamp: Int64
                var alert: Words?
                var attributes: Attributes?
            }
            var aps: APS
        }
        tokenHex = address
        at = moment
        contentState = Self.object(after: "\"content-state\":", in: body)
        guard let aps = try? JSONDecoder().decode(Body.self, from: Data(body)).aps else { return }
        (event, timestamp, words) = (aps.event, aps.timestamp, aps.alert)
        if let id = aps.attributes?.activityID { startedActivity = ActivityID(rawValue: id) }
    }

    /// The bytes of the object that follows.
    private static func object(after name: String, in body: [UInt8]) -> Data {
        guard let range = Data(body).firstRange(of: Data(name.utf8)) else { return Data() }
        var (depth, isText, isEscaped) = (0, false, false)
        for index in range.upperBound..<body.count {
            switch body[index] {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\"): isEscaped = true
            case UInt8(ascii: "\""): isText.toggle()
            case UInt8(ascii: "{") where !isText: depth += 1
            case UInt8(ascii: "}") where !isText:
                depth -= 1
                if depth == 0 { return Data(body[range.upperBound...index]) }
            default: break
            }
        }
        return Data()
    }
}
