public import Foundation
public import Projections

/// What an app build on the phone can decode and draw for one kind of activity.
///
/// A struct of closures, so that a phone can carry an older build than the server knows.
public struct CardKind: Sendable {
    /// Name of the kind, for example `Match`.
    public var name: String
    /// The Swift name of the attributes type, as `attributes-type` of a start has to spell it.
    public var attributesType: String
    /// A start by the app; what is nil is the kind's own beginning.
    public var open: @Sendable (_ attributes: Data?, _ contentState: Data?) throws -> CardFace
    /// The `content-state` inside a whole push body, straight from its bytes.
    public var update: @Sendable (_ attributes: Data, _ pushBody: Data) throws -> CardFace
    /// The `attributes` and the `content-state` inside a whole push body that starts an activity.
    public var begin: @Sendable (_ pushBody: Data) throws -> CardFace
    /// Of an older build of the app.
    var isOlder = false
}

/// One decoded state of a card and what it looks like.
public struct CardFace: Sendable {
    public var attributes: Data
    public var contentState: Data
    public var presentation: Presentation
    /// Every date inside the state, with its path: most mistakes in the field are in these.
    public var dates: [FoundDate]
}
