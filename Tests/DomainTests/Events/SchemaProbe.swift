import Domain
import Foundation
import Projections
import TestSupport
import Testing

/// A type of event as the tests of all types see it: those of every kind, and the clock's.
struct SchemaProbe: Sendable, CustomTestStringConvertible {
    /// What its name begins with.
    let owner: String
    let eventType: EventType
    /// Decodes the data of a schema version; throws an `EventRefusal`.
    let event: @Sendable (_ schemaVersion: Int, _ data: Data) throws -> any Sendable

    var type: String { eventType.name }
    var newestFields: [EventField] { eventType.versions[eventType.newestVersion - 1] }
    var testDescription: String { type }

    static let all: [SchemaProbe] =
        ActivityCatalog.standard.kinds.flatMap { probes(of: $0) }
        + probes(ActivityClock.schemas, owner: "ActivityClock")

    static func named(_ type: String) throws -> SchemaProbe {
        try #require(all.first { $0.type == type }, "\(type)")
    }

    private static func probes<K: ActivityKind>(of kind: K.Type) -> [SchemaProbe] {
        probes(kind.schemas, owner: kind.name)
    }

    private static func probes<Event>(
        _ schemas: [EventSchema<Event>], owner: String
    ) -> [SchemaProbe] {
        schemas.map { schema in
            SchemaProbe(owner: owner, eventType: schema.eventType) {
                try schema.event(schemaVersion: $0, data: $1)
            }
        }
    }
}

extension EventField {
    /// Its sample as data have it.
    var literal: String {
        switch shape {
        case .text, .moment, .choice: "\"\(sample)\""
        case .integer, .flag: sample
        }
    }
}

extension EventType {
    /// Data of the newest version as a source may send them: every field with its sample.
    var sampleData: Data {
        let members = (versions.last ?? []).map { "  \"\($0.name)\": \($0.literal)" }
        return Data((members.isEmpty ? "{}\n" : "{\n\(members.joined(separator: ",\n"))\n}\n").utf8)
    }
}

extension [EventField] {
    /// An object with a sample for each field.
    var sample: Data {
        let members = map { "\"\($0.name)\":\($0.literal)" }
        return Data("{\(members.joined(separator: ","))}".utf8)
    }
}
