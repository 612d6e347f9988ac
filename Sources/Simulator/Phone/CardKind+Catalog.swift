import Domain
import Foundation
import JSON
public import Projections

extension CardKind {
    /// The current app build for every kind in the catalogue.
    public static var catalog: [CardKind] { ActivityCatalog.standard.kinds.map { CardKind($0) } }

    /// Decodes with the stock decoder into the kind's own types, as the app on the phone does.
    public init<K: ActivityKind>(_ kind: K.Type) {
        self.init(
            name: K.name, attributesType: K.attributesType,
            open: { attributes, contentState in
                Self.face(
                    kind,
                    try attributes.map { try JSONDecoder().decode(K.Attributes.self, from: $0) }
                        ?? K.attributes(of: K.initial),
                    try contentState.map {
                        try JSONDecoder().decode(K.ContentState.self, from: $0)
                    } ?? K.contentState(of: K.initial))
            },
            update: { attributes, pushBody in
                Self.face(
                    kind,
                    try JSONDecoder().decode(K.Attributes.self, from: attributes),
                    try JSONDecoder().decode(StateBody<K.ContentState>.self, from: pushBody)
                        .aps.contentState)
            },
            begin: { pushBody in
                let body = try JSONDecoder().decode(
                    StartBody<K.Attributes, K.ContentState>.self, from: pushBody)
                return Self.face(kind, body.aps.attributes, body.aps.contentState)
            })
    }

    private static func face<K: ActivityKind>(
        _ kind: K.Type, _ attributes: K.Attributes, _ state: K.ContentState
    ) -> CardFace {
        CardFace(
            attributes: WireCoder.encode(attributes), contentState: WireCoder.encode(state),
            presentation: K.presentation(attributes: attributes, contentState: state),
            dates: FoundDate.search(state))
    }
}

/// What a running card reads of a push body.
struct StateBody<State: Decodable>: Decodable {
    struct APS: Decodable {
        var contentState: State

        enum CodingKeys: String, CodingKey {
            case contentState = "content-state"
        }
    }

    var aps: APS
}

struct StartBody<Attributes: Decodable, State: Decodable>: Decodable {
    struct APS: Decodable {
        var attributes: Attributes
        var contentState: State

        enum CodingKeys: String, CodingKey {
            case attributes
            case contentState = "content-state"
        }
    }

    var aps: APS
}
