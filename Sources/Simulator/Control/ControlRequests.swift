import Domain
import Foundation

/// `POST /phones`, and without name and traits `POST /phones/{id}/activities`.
struct PhoneRequest: Decodable {
    var name: String?
    var environment: APNsEnvironment?
    var iosVersion: String?
    var appKilled: Bool?
    var kind: String?
    var activity: String?
    var attributes: JSONValue?
    var contentState: JSONValue?
    /// Id of the channel that the card is to listen to; nil for a card with a push token.
    var channel: String?

    func traits() throws(ControlProblem) -> PhoneTraits {
        var traits = PhoneTraits(environment: environment, isAppKilled: appKilled ?? false)
        if let iosVersion {
            guard let version = IOSVersion(iosVersion) else {
                throw .invalid("iosVersion is not a version such as 17.2")
            }
            traits.system = version
        }
        return traits
    }

    /// - Returns: nil when the app is to start nothing.
    func start() throws(ControlProblem) -> ActivityStart? {
        guard kind != nil || activity != nil || channel != nil else { return nil }
        guard let kind else { throw .invalid("kind is missing") }
        guard let activity else { throw .invalid("activity is missing") }
        guard (1...Limits.nameBytesMax).contains(activity.utf8.count) else {
            throw .invalid("activity must have 1 to \(Limits.nameBytesMax) bytes")
        }
        return ActivityStart(
            kind: kind, activity: ActivityID(rawValue: activity),
            attributes: attributes.map { WireCoder.encode($0) },
            contentState: contentState.map { WireCoder.encode($0) })
    }
}

/// `POST /phones/{id}/start-tokens`.
struct StartTokenRequest: Decodable {
    var kind: String
}

/// `POST /phones/{id}/update-tokens`.
struct UpdateTokenRequest: Decodable {
    var activity: String
}

/// `POST /phones/{id}/rotation`: `{"activity": "order-1"}` for the token of a card, and
/// `{"kind": "Match"}` for a push-to-start token.
enum RotationRequest: Decodable {
    case card(ActivityID)
    case start(kind: String)

    private enum CodingKeys: String, CodingKey {
        case activity, kind
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if let kind = try container.decodeIfPresent(String.self, forKey: .kind) {
            self = .start(kind: kind)
        } else {
            let activity = try container.decode(String.self, forKey: .activity)
            self = .card(ActivityID(rawValue: activity))
        }
    }
}

/// A phone and the token that its app would send to its server.
struct RegisteredPhone: Encodable {
    var id: PhoneID
    var pushToken: String?
}

/// `POST /faults`: `{"kill": "phone-1", "reason": "Unregistered"}`, `{"dismiss": "phone-1"}`,
/// `{"refuse": "ServiceUnavailable", "count": 3, "of": "broadcasts"}` or `{"broadcast": false}`.
enum FaultRequest: Decodable {
    case kill(PhoneID, TokenDeath)
    case dismiss(PhoneID)
    case refuse(APNsRefusal, count: Int, of: APNsService)
    case broadcast(isEnabled: Bool)

    private enum CodingKeys: String, CodingKey {
        case kill, reason, dismiss, refuse, count, of, broadcast
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if let phone = try container.decodeIfPresent(PhoneID.self, forKey: .kill) {
            let death = try container.decodeIfPresent(TokenDeath.self, forKey: .reason)
            self = .kill(phone, death ?? .unregistered)
        } else if let phone = try container.decodeIfPresent(PhoneID.self, forKey: .dismiss) {
            self = .dismiss(phone)
        } else if let isEnabled = try container.decodeIfPresent(Bool.self, forKey: .broadcast) {
            self = .broadcast(isEnabled: isEnabled)
        } else {
            let count = try container.decodeIfPresent(Int.self, forKey: .count) ?? 1
            guard (1...1_000_000).contains(count) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .count, in: container, debugDescription: "from 1 to 1,000,000")
            }
            let service = try container.decodeIfPresent(APNsService.self, forKey: .of)
            self = .refuse(
                try container.decode(APNsRefusal.self, forKey: .refuse), count: count,
                of: service ?? .pushes)
        }
    }
}
