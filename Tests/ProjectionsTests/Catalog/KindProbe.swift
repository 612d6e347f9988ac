import Domain
import Foundation
import JSON
import Projections
import SixthKind
import Testing

extension ActivityCatalog {
    /// What the tests cover: everything that Islet knows, and a kind that it does not. The one line
    /// that the newcomer needs is the one below.
    static let tested = ActivityCatalog(
        kinds: standard.kinds + [
            LaundryKind.self
        ])
}

/// What no code can know of a kind, and nobody has said yet. Thrown, so that a test says it once.
struct NotWrittenDown: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// A kind of the catalogue as the catalogue-wide tests see it.
struct KindProbe: Sendable, CustomTestStringConvertible {
    let name: String
    /// What the kind says about its attributes, and what Swift says.
    let attributesType: (stated: String, actual: String)
    let eventTypes: [EventType]
    /// True when the JSON of a snapshot decodes with the stock decoder into the kind's own types
    /// and encodes to the same again.
    let survivesCoding: @Sendable (Snapshot) throws -> Bool
    /// What the app reads of attributes that name their activity, written back.
    let attributesAgain: @Sendable (Data) throws -> Data
    /// What a snapshot remembers of the facts, without the times at which they were recorded and
    /// without what cards have shown.
    let facts: @Sendable (Snapshot) throws -> Data

    /// By the facts, whether or not the end may still be corrected.
    let isOver: @Sendable (Snapshot) throws -> Bool

    static let all: [KindProbe] = ActivityCatalog.tested.kinds.map { KindProbe($0) }

    init<K: ActivityKind>(_ kind: K.Type) {
        name = kind.name
        attributesType = (kind.attributesType, "\(K.Attributes.self)")
        eventTypes = kind.schemas.map(\.eventType)
        let stored: @Sendable (Snapshot) throws -> Data = { snapshot in
            WireCoder.encode(try JSONDecoder().decode(K.State.self, from: snapshot.state))
        }
        facts = { snapshot in
            let members = try JSONSerialization.jsonObject(with: stored(snapshot)) as? [String: Any]
            var facts = try #require(members)
            facts["shown"] = nil
            return try JSONSerialization.data(withJSONObject: facts, options: .sortedKeys)
        }
        isOver = {
            kind.phase(of: try JSONDecoder().decode(K.State.self, from: $0.state)) == .ended
        }
        attributesAgain = {
            WireCoder.encode(try JSONDecoder().decode(K.Attributes.self, from: $0))
        }
        survivesCoding = { snapshot in
            let attributes = try JSONDecoder().decode(
                K.Attributes.self, from: snapshot.attributes)
            let state = try JSONDecoder().decode(K.ContentState.self, from: snapshot.contentState)
            let inner = try stored(snapshot)
            let stock = try JSONDecoder().decode(
                K.ContentState.self, from: JSONEncoder().encode(state))
            let again = try WireCoder.encode(JSONDecoder().decode(K.State.self, from: inner))
            return WireCoder.encode(attributes) == snapshot.attributes
                && WireCoder.encode(state) == snapshot.contentState
                && again == inner && stock == state
        }
    }

    var testDescription: String { name }
}
