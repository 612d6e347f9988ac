public import Domain
public import Foundation
public import Projections

extension ActivityKind {
    /// Decodes the `data` of an event, whatever released schema version it has.
    /// - Throws: `EventRefusal` naming the field and the remedy.
    public static func event(
        type: String, schemaVersion: Int, data: Data
    ) throws(EventRefusal) -> Event {
        guard let schema = schemas.first(where: { $0.type == type }) else {
            throw EventRefusal(
                .unknownType, pointer: "/type", detail: "is not a type of event of a \(name)")
        }
        return try schema.event(schemaVersion: schemaVersion, data: data)
    }
}
