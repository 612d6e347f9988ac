public import Domain
public import Foundation
import JSON

/// Kinds of activity, found by their names and by the types of their events.
///
/// `standard` is what Islet knows; its members are also there as static ones. Another catalogue is
/// made from other kinds, wherever they are written: `ActivityCatalog(kinds: … + [Mine.self])`.
public struct ActivityCatalog: Sendable {
    /// The kinds, in the order in which documents list them.
    public let kinds: [any ActivityKind.Type]
    /// Every type of event that sources may report, in the order of the kinds and of an activity's
    /// usual course.
    public let eventTypes: [EventType]
    private let kindsByName: [ByteKey: any ActivityKind.Type]
    private let kindsByEventType: [ByteKey: any ActivityKind.Type]
    private let eventTypesByName: [ByteKey: EventType]
    let foldFactories: [ByteKey: FoldFactory]

    /// - Precondition: no two kinds share a name or a type of event, and none uses the clock's.
    public init(kinds: [any ActivityKind.Type]) {
        self.kinds = kinds
        eventTypes = kinds.flatMap { $0.eventTypes }
        Self.requireDistinct(kinds.map { $0.name }, "kinds")
        Self.requireDistinct(
            eventTypes.map(\.name) + ActivityClock.schemas.map(\.type), "types of events")
        kindsByName = Dictionary(
            uniqueKeysWithValues: kinds.map { (ByteKey($0.name), $0) })
        let kindsByEventType: [ByteKey: any ActivityKind.Type] = Dictionary(
            uniqueKeysWithValues: kinds.flatMap { kind in
                kind.eventTypes.map { (ByteKey($0.name), kind) }
            })
        self.kindsByEventType = kindsByEventType
        eventTypesByName = Dictionary(
            uniqueKeysWithValues: eventTypes.map { (ByteKey($0.name), $0) })
        foldFactories = Dictionary(
            uniqueKeysWithValues: kinds.map {
                (ByteKey($0.name), $0.foldFactory(kindsByEventType))
            })
    }

    /// Says what a mistake in a kind is; a dictionary would end the program without a word.
    private static func requireDistinct(_ names: [String], _ what: String) {
        var known: Set<ByteKey> = []
        for name in names where !known.insert(ByteKey(name)).inserted {
            fatalError("two \(what) are called \(name)")
        }
    }

    /// The newest of each kind, by name.
    public var foldVersions: [String: Int] {
        Dictionary(uniqueKeysWithValues: kinds.map { ($0.name, $0.foldVersion) })
    }

    /// The kind with the stored name; nil when the catalogue has none.
    public func kind(named name: String) -> (any ActivityKind.Type)? {
        kindsByName[ByteKey(name)]
    }

    /// What the kind is judged by as long as a tenant says nothing.
    func builtInPolicy(ofKind name: String) -> Policy {
        foldFactories[ByteKey(name)]?.builtInPolicy ?? .builtIn
    }

    /// The kind that an event of this type belongs to; nil for an unknown type.
    public func kind(ofEventType type: String) -> (any ActivityKind.Type)? {
        kindsByEventType[ByteKey(type)]
    }

    /// The rule that a decision about an activity of the kind names: one of the kind's own, or of
    /// the clock's. Nil for one that is no more.
    public func rule(named name: String, of kind: String) -> Rule? {
        let own = self.kind(named: kind)?.rules ?? []
        return (own + ClockRules.all).first { $0.name == name }
    }

    /// The type of event with the name; nil when the catalogue has none.
    public func eventType(named name: String) -> EventType? {
        eventTypesByName[ByteKey(name)]
    }

    /// What a person sees of a snapshot, without reading its wire forms where what they were
    /// written from is at hand.
    public func presentation(of snapshot: Snapshot) throws(FoldError) -> Presentation {
        func present<K: ActivityKind>(_ kind: K.Type) -> Presentation? {
            guard let stored = snapshot.decodedState.value as? StoredState<K> else { return nil }
            return kind.presentation(
                attributes: kind.attributes(of: stored.state),
                contentState: kind.contentState(of: stored.state))
        }
        if let kind = kind(named: snapshot.kind), let known = present(kind) { return known }
        return try presentation(
            kind: snapshot.kind, attributes: snapshot.attributes,
            contentState: snapshot.contentState)
    }

    /// What a person sees for the given wire forms.
    public func presentation(
        kind name: String, attributes: Data, contentState: Data
    ) throws(FoldError) -> Presentation {
        guard let kind = kind(named: name) else { throw .unknownKind(name) }
        func present<K: ActivityKind>(_ kind: K.Type) throws(FoldError) -> Presentation {
            kind.presentation(
                attributes: try decode(K.Attributes.self, attributes, "attributes", kind.name),
                contentState: try decode(
                    K.ContentState.self, contentState, "content-state", kind.name))
        }
        return try present(kind)
    }

    /// The text on a phone when the activity's card appears on it by itself, in all languages or by
    /// keys. Neither title nor body is ever empty, since a phone starts nothing without them.
    public func startAlert(
        of snapshot: Snapshot, under policy: Policy
    ) throws(FoldError) -> Alert {
        guard let kind = kind(named: snapshot.kind) else { throw .unknownKind(snapshot.kind) }
        func alert<K: ActivityKind>(_ kind: K.Type) throws(FoldError) -> Alert {
            let attributes = try decode(
                K.Attributes.self, snapshot.attributes, "attributes", kind.name)
            let state = try decode(
                K.ContentState.self, snapshot.contentState, "content-state", kind.name)
            let arguments = kind.startArguments(attributes: attributes, contentState: state)
            let words = kind.words("start", arguments, attributes, state)
            return kind.alert(words, under: policy, isTranslated: true)
                .withoutGaps(standIn: kind.name)
        }
        return try alert(kind)
    }

    private func decode<T: Decodable>(
        _ type: T.Type, _ data: Data, _ member: String, _ kind: String
    ) throws(FoldError) -> T {
        do { return try WireCoder.decode(type, from: data) } catch {
            throw .undecodable(member: member, kind: kind)
        }
    }
}

extension Alert {
    /// The alert with a stand-in for each text of which nothing is left once it is filled in.
    fileprivate func withoutGaps(standIn: String) -> Alert {
        func hasWords(_ text: String) -> Bool { text.contains { !$0.isWhitespace } }
        func filled(_ text: String) -> String { hasWords(text) ? text : standIn }
        return Alert(
            title: filled(title), body: filled(body), sound: sound,
            translations: translations.mapValues {
                Text(title: filled($0.title), body: filled($0.body))
            },
            // The app's own text has the same places, and nothing else that is known of it here.
            keys: keys.map {
                Keys(
                    title: hasWords(title) ? $0.title : .plain(standIn),
                    body: hasWords(body) ? $0.body : .plain(standIn))
            })
    }
}
