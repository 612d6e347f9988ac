public import JSON

/// A released schema version that is no longer the newest: what its events have, and how they
/// become events of the version after it.
///
/// Never changed and never removed once released: the log is full of such events.
public struct OlderVersion: Sendable {
    /// What becomes of it in the version after it, in words that complete "where".
    let about: String
    /// What data of that version may have.
    public let fields: [EventField]
    /// Rewrites the members of `data`, which fit `fields`, into those of the next version. Pure,
    /// and total over everything that fits. Members that are no fields stay.
    let upcast: @Sendable (inout JSON) -> Void

    /// - Parameter fields: asks for each field of that version.
    public init(
        _ about: String, fields: (inout EventData) throws -> Void,
        upcast: @escaping @Sendable (inout JSON) -> Void
    ) {
        self.about = about
        self.fields = EventData.fields(fields)
        self.upcast = upcast
    }
}
