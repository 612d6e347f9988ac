import Domain
import Foundation

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
        try face.requireFit()
        return face
    }
}

extension CardFace {
    /// ActivityKit shows nothing larger, however the state comes.
    func requireFit() throws(IgnoredPush) {
        let bytes = attributes.count + contentState.count
        guard bytes > Limits.startBytesMax else { return }
        throw IgnoredPush("attributes and content-state have \(bytes) bytes together")
    }
}
