import Domain
import ServerClient

struct DemoApp: Sendable {
    /// With a ticket for the card's activity.
    var client: RemoteServer
    var token: PushToken
    /// Its own name for its copy on the phone.
    var installation: String
}
