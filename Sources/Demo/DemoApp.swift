import Domain
import ServerClient

struct DemoApp: Sendable {
    /// With a ticket for the card's activity.
    var client: IsletClient
    var token: PushToken
    /// Its own name for its copy on the phone.
    var installation: String
}
