public import Domain
public import Foundation

/// An activity as the app starts it, in the app's own JSON.
public struct ActivityStart: Sendable {
    /// Name of the kind, for example `Match`.
    public var kind: String
    public var activity: ActivityID
    /// Nil for the kind's own beginning.
    public var attributes: Data?
    /// Nil for the kind's own beginning.
    public var contentState: Data?
    /// When the system is to begin it by itself, by the phone's clock, from iOS 26 on. At once if
    /// nil.
    public var startsAt: Moment?

    public init(
        kind: String, activity: ActivityID, attributes: Data? = nil, contentState: Data? = nil,
        startsAt: Moment? = nil
    ) {
        self.kind = kind
        self.activity = activity
        self.attributes = attributes
        self.contentState = contentState
        self.startsAt = startsAt
    }
}
