public import JSON

extension RecordedEvent {
    /// The attributes of its CloudEvents form in their order, with what the log added as extension
    /// attributes. Behind them come those of its source's own, and the data.
    public var attributes: [JSON.Member] {
        [
            .init(name: "specversion", value: "1.0"),
            .init(name: "id", value: .string(event.id)),
            .init(name: "source", value: .string(event.source)),
            .init(name: "type", value: .string(event.type)),
            .init(name: "subject", value: .string(event.activityID.rawValue)),
            .init(name: "time", value: .string(event.occurredAt.rfc3339)),
            .init(name: "datacontenttype", value: "application/json"),
            .init(name: "schemaversion", value: .integer(event.schemaVersion)),
            .init(name: "position", value: .integer(position)),
            .init(name: "version", value: .integer(version)),
            .init(name: "recordedat", value: .string(recordedAt.rfc3339)),
        ]
    }
}
