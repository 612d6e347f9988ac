import Domain
import Foundation

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
