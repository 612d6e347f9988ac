import Domain
import Foundation
import JSON

/// A push taken apart once for however many cards it goes to.
struct ReadPush {
    /// Cards of the same attributes show the same state alike.
    private struct Reader: Hashable {
        var kind: String
        var attributes: Data
    }

    let envelope: Result<PushEnvelope, IgnoredPush>
    private let body: [UInt8]
    private var faces: [Reader: Result<CardFace, IgnoredPush>] = [:]

    init(_ body: [UInt8]) {
        self.body = body
        envelope = Result { () throws(IgnoredPush) in try PushEnvelope(body) }
    }

    /// The state in the push as the card shows it.
    mutating func face(of card: Card) throws(IgnoredPush) -> CardFace {
        // Older builds differ from one another.
        if card.kind.isOlder { return try decode(for: card) }
        let reader = Reader(kind: card.kind.name, attributes: card.face.attributes)
        if let known = faces[reader] { return try known.get() }
        let face = Result { () throws(IgnoredPush) in try decode(for: card) }
        faces[reader] = face
        return try face.get()
    }

    private func decode(for card: Card) throws(IgnoredPush) -> CardFace {
        let face: CardFace
        do { face = try card.kind.update(card.face.attributes, Data(body)) } catch {
            throw IgnoredPush("content-state does not decode: \(Card.explain(error))")
        }
        try face.requireFit(in: body)
        return face
    }
}

extension CardFace {
    /// ActivityKit shows nothing larger, however the state comes. Members that the app's types do
    /// not know count, too.
    /// - Parameter isStart: the attributes are in the body, and not the card's.
    func requireFit(in body: [UInt8], isStart: Bool = false) throws(IgnoredPush) {
        guard attributes.count + body.count > Limits.startBytesMax else { return }
        let body = Data(body)
        let start =
            isStart ? try? JSONDecoder().decode(StartBody<JSON, JSON>.self, from: body).aps : nil
        let update = try? JSONDecoder().decode(StateBody<JSON>.self, from: body).aps
        guard let state = update?.contentState else { return }
        let bytes = (start?.attributes.bytes.count ?? attributes.count) + state.bytes.count
        guard bytes > Limits.startBytesMax else { return }
        throw IgnoredPush("attributes and content-state have \(bytes) bytes together")
    }
}
