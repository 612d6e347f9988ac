import Domain
import Foundation

/// `POST /phones`, and without a name `POST /phones/{id}/activities`.
struct PhoneRequest: Decodable {
    var name: String?
    var environment: APNsEnvironment?
    var kind: String
    var activity: String
    var attributes: JSONValue?
    var contentState: JSONValue?

    func start() throws(ControlProblem) -> ActivityStart {
        guard (1...Limits.nameBytesMax).contains(activity.utf8.count) else {
            throw .invalid("activity must have 1 to \(Limits.nameBytesMax) bytes")
        }
        return ActivityStart(
            kind: kind, activity: ActivityID(rawValue: activity),
            attributes: attributes.map { WireCoder.encode($0) },
            contentState: contentState.map { WireCoder.encode($0) })
    }
}

/// `POST /phones/{id}/rotation`.
struct RotationRequest: Decodable {
    var activity: String
}

/// The answer to both: the token is what the app would send to its server.
struct RegisteredPhone: Encodable {
    var id: PhoneID
    var pushToken: String
}

/// `POST /faults`: `{"kill": "phone-1", "reason": "Unregistered"}`, `{"dismiss": "phone-1"}` or
/// `{"refuse": "ServiceUnavailable", "count": 3}`.
enum FaultRequest: Decodable {
    case kill(PhoneID, TokenDeath)
    case dismiss(PhoneID)
    case refuse(APNsRefusal, count: Int)

    private enum CodingKeys: String, CodingKey {
        case kill, reason, dismiss, refuse, count
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if let phone = try container.decodeIfPresent(PhoneID.self, forKey: .kill) {
            let death = try container.decodeIfPresent(TokenDeath.self, forKey: .reason)
            self = .kill(phone, death ?? .unregistered)
        } else if let phone = try container.decodeIfPresent(PhoneID.self, forKey: .dismiss) {
            self = .dismiss(phone)
        } else {
            let count = try container.decodeIfPresent(Int.self, forKey: .count) ?? 1
            guard (1...1_000_000).contains(count) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .count, in: container, debugDescription: "from 1 to 1,000,000")
            }
            self = .refuse(try container.decode(APNsRefusal.self, forKey: .refuse), count: count)
        }
    }
}
