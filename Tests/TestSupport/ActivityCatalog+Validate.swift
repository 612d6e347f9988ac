public import Domain
public import Foundation
public import Projections

extension ActivityCatalog {
    /// Decodes an event as a fold would.
    /// - Throws: `EventRefusal` when no source may report the type or the data do not fit its
    ///   schema.
    public func validate(type: String, schemaVersion: Int, data: Data) throws(EventRefusal) {
        guard let kind = kind(ofEventType: type) else { throw unknownType(type) }
        func decode<K: ActivityKind>(_ kind: K.Type) throws(EventRefusal) {
            _ = try kind.event(type: type, schemaVersion: schemaVersion, data: data)
        }
        try decode(kind)
    }
}
