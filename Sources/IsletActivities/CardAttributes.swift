/// What never changes about an activity on a phone, with the type of what does change.
///
/// Where there is ActivityKit, each of them is an `ActivityAttributes`, which asks for the same.
public protocol CardAttributes: Codable, Hashable, Sendable {
    associatedtype ContentState: Codable, Hashable, Sendable

    /// The kind of activity as Islet names it, for example `Match`; a format, never derived.
    static var kind: String { get }
    /// Id of the activity, for the app that registers a card's push token; set where a push has
    /// started the card, and by `IsletClient` where it asks what a card shows.
    var activityID: String? { get set }
}
