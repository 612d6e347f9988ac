import APNs
import DeliveryRules
import Domain
import EventStore

/// One push to one phone. How its transport wants it addressed is said here alone.
struct Push: Sendable {
    var app: TenantApp
    var token: PushToken
    var message: PushPlan.Message
    /// Unix seconds until which APNs keeps it for a phone that is away.
    var expiration: Int64
    var origin: PushOrigin

    /// - Parameter id: a canonical lower-case UUID, which APNs echoes.
    func request(id: String) -> APNsRequest {
        APNsRequest.device(
            tokenHex: token.hex, bundleID: app.app.bundleID, apnsID: id,
            priority: message.priority, expiration: expiration, body: message.body, origin: origin)
    }
}

extension Push {
    /// To a card that is on a phone. One that names no installation is taken for a phone of its
    /// own.
    init(to card: Registration, _ message: PushPlan.Message, expiration: Int64) {
        self.init(
            app: card.app, token: card.pushToken, message: message, expiration: expiration,
            origin: PushOrigin(
                activity: card.activityID.rawValue,
                phone: card.installation ?? "card \(card.id)", isProven: card.isProven))
    }
}
