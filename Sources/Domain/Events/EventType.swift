/// A type of event with the fields of every schema version that was ever released.
public struct EventType: Hashable, Sendable {
    /// Stored type, for example `PizzaDelivery.DriverAssigned`.
    public let name: String
    /// What it reports, in sentences.
    public let about: String
    /// Version 1 first; never empty.
    public let versions: [[EventField]]
    /// What each version but the newest becomes in the next.
    public let changes: [String]

    /// Versions are 1, 2, 3 …
    public var newestVersion: Int { versions.count }

    /// Nil for a version that was never released.
    public func fields(of schemaVersion: Int) -> [EventField]? {
        let place = schemaVersion &- 1
        return versions.indices.contains(place) ? versions[place] : nil
    }

    /// Everything that is wrong with an event of this type, in the order of its fields.
    /// - Parameters:
    ///   - isStored: see `EventField.refusal(of:isStored:)`.
    ///   - value: the member of the event's `data` with that name; nil when it is absent or `null`.
    public func refusals(
        schemaVersion: Int, isStored: Bool = false, value: (_ name: String) -> FieldValue?
    ) -> [EventRefusal] {
        guard let fields = fields(of: schemaVersion) else { return [unknownVersion] }
        return fields.compactMap { field -> EventRefusal? in
            let content = value(field.name)
            guard var refusal = field.refusal(of: content, isStored: isStored) else { return nil }
            let isGone = !versions[newestVersion - 1].contains { $0.name == field.name }
            if isGone, case nil = content {
                refusal.detail +=
                    ", or `schemaversion` \(newestVersion) with the fields of that version"
            }
            return refusal
        }
    }

    var unknownVersion: EventRefusal {
        EventRefusal(
            .unknownSchemaVersion, pointer: "/schemaversion",
            detail: newestVersion == 1
                ? "\(name) has schema version 1 only; send or omit it"
                : "\(name) has schema versions 1 to \(newestVersion); send one of them, or omit "
                    + "it for version 1")
    }
}
