import Domain
import Foundation
import Projections
import Testing

/// A kind of the catalogue as the catalogue-wide tests see it.
struct KindProbe: Sendable, CustomTestStringConvertible {
    let name: String
    /// What the kind says about its attributes, and what Swift says.
    let attributesType: (stated: String, actual: String)
    let eventTypes: [EventType]
    /// True when the JSON of a snapshot decodes with the stock decoder into the kind's own types
    /// and encodes to the same again.
    let survivesCoding: @Sendable (Snapshot) throws -> Bool

    static let all: [KindProbe] = ActivityCatalog.kinds.map { KindProbe($0) }

    init<K: ActivityKind>(_ kind: K.Type) {
        name = kind.name
        attributesType = (kind.attributesType, "\(K.Attributes.self)")
        eventTypes = kind.schemas.map(\.eventType)
        survivesCoding = { snapshot in
            let attributes = try JSONDecoder().decode(
                K.Attributes.self, from: snapshot.attributes)
            let state = try JSONDecoder().decode(K.ContentState.self, from: snapshot.contentState)
            let inner = try JSONDecoder().decode(K.State.self, from: snapshot.state)
            let stock = try JSONDecoder().decode(
                K.ContentState.self, from: JSONEncoder().encode(state))
            return WireCoder.encode(attributes) == snapshot.attributes
                && WireCoder.encode(state) == snapshot.contentState
                && WireCoder.encode(inner) == snapshot.state && stock == state
        }
    }

    var testDescription: String { name }
}
