/// A released schema version that is no longer the newest: what its events hold, and how they
/// become events of the version after it.
///
/// Never changed and never removed once released: the log is full of such events.
public struct OlderVersion: Sendable {
    /// What data of that version may hold.
    public let fields: [EventField]
    /// Rewrites the members of `data`, which fit `fields`, into those of the next version. Pure,
    /// and total over everything that fits. Members that are no fields stay.
    let upcast: @Sendable (inout [String: DataValue]) -> Void

    public init(
        fields: [EventField], upcast: @escaping @Sendable (inout [String: DataValue]) -> Void
    ) {
        self.fields = fields
        self.upcast = upcast
    }
}
