import Domain
import ServerClient

/// One card's app: what it knows and by what it speaks.
struct DemoApp: Sendable {
    /// With a ticket for the card's activity.
    var client: IsletClient
    var token: PushToken
    /// Its own name for its copy on the phone.
    var installation: String
}
