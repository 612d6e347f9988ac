public import Domain
import Foundation
import JSON

// What a kind is that says no more than it must: what follows holds until the kind says otherwise.

/// Facts before any is known.
public protocol FoldedState: Codable, Hashable, Sendable {
    init()
}

extension ActivityKind where State: FoldedState {
    /// Nothing is known.
    public static var initial: State { State() }
}

extension ActivityKind where Attributes: CardAttributes {
    /// As the attributes write it out.
    public static var name: String { Attributes.kind }
}

extension ActivityKind {
    /// As apps have it that call their attributes so.
    public static var attributesType: String { name + "Attributes" }
}

extension Rule {
    /// A plain kind's end.
    public static let ended = Rule("ended", .alert, "The activity is over.")
    /// A plain kind's beginning.
    public static let first = Rule("first", .timely, "The activity appears.")
    /// All else of a plain kind.
    public static let progress = Rule("progress", .ambient, "The activity goes on.")
}

extension Threshold {
    /// A plain kind's.
    public static let staleAfter = Threshold.staleness(
        "staleAfterSeconds", 3600, "Silence for so long after the last report is odd.")
    /// A plain kind's.
    public static let dismiss = Threshold.dismissal(
        "dismissSeconds", 900, "How long the card of an ended activity stays.")
}

/// A plain kind alerts of its end, shows its beginning at once and all else when there is room.
extension ActivityKind {
    /// The most significant first.
    public static var rules: [Rule] { [.ended, .first, .progress] }

    /// For how long silence is normal and an ended card stays.
    public static var thresholds: [Threshold] { [.staleAfter, .dismiss] }

    /// None: an alert says what the Lock Screen does.
    public static var texts: Phrasebook.Texts { [:] }

    /// None.
    public static func arguments(of state: State) -> Phrase.Arguments { [:] }

    /// So long after the last report.
    public static func staleAt(
        of state: State, at recordedAt: Moment, under policy: Policy
    ) -> Moment? { recordedAt.adding(seconds: policy[own(.staleAfter)]) }

    /// By the phase alone.
    public static func assess(_ change: Change<Self>) -> Assessment {
        let isOver = phase(of: change.after) == .ended
        let ongoing: Rule = phase(of: change.before) == .scheduled ? .first : .progress
        let rule = isOver ? Rule.ended : ongoing
        return change.assessment(
            rule, words: words(rule.name, of: change.after),
            ending: isOver ? change.ending(staying: own(.dismiss)) : nil)
    }

    /// Less once it is over.
    public static func relevanceScore(of state: State, under policy: Policy) -> Double {
        phase(of: state) == .ended ? 25 : 50
    }

    private static func words(_ rule: String, of state: State) -> Words {
        words(rule, arguments(of: state), attributes(of: state), contentState(of: state))
    }

    /// The kind's own of that name; without any, the first two lines of the Lock Screen that are
    /// sentences without a countdown, and the kind's name where there are fewer.
    static func words(
        _ name: String, _ arguments: Phrase.Arguments, _ attributes: Attributes,
        _ contentState: ContentState
    ) -> Words {
        guard texts[.standard]?["\(name).title"] == nil else { return Words(name, arguments) }
        let shown = presentation(attributes: attributes, contentState: contentState)
        let lines = shown.lockScreenTexts + [Self.name, Self.name]
        return Words(title: .verbatim(lines[0]), body: .verbatim(lines[1]))
    }
}

extension ActivityKind {
    /// The kind's name, and each member of attributes and state that is a text, a number or a flag:
    /// so that there is something to see while nobody has drawn a card.
    public static func presentation(
        attributes: Attributes, contentState: ContentState
    ) -> Presentation {
        let members = [WireCoder.encode(attributes), WireCoder.encode(contentState)].flatMap(
            scalars)
        let status = Presentation.Line(members.last ?? "")
        return Presentation(
            title: members.first ?? name, short: name, status: status,
            note: members.dropFirst().dropLast().prefix(2).joined(separator: ", "))
    }

    private static func scalars(_ json: Data) -> [String] {
        guard case .object(let members)? = try? JSONParser.parse(Array(json)) else { return [] }
        return members.compactMap { member in
            switch member.value {
            case .string(let text): "\(member.name) \(text.isolated)"
            case .number(let literal): "\(member.name) \(literal)"
            case .bool(let flag): "\(member.name) \(flag)"
            case .null, .array, .object, .encoded: nil
            }
        }
    }
}

extension Presentation {
    /// A card that says what it is of, how that stands, and perhaps something more.
    /// - Parameter short: what it is of, in a word.
    public init(title: String, short: String, status: Line, note: String? = nil) {
        let title = Line(title)
        let note = note.flatMap { $0.isEmpty ? nil : Line($0) }
        self.init(
            lockScreen: [title, status, note].compactMap(\.self), compactLeading: Line(short),
            compactTrailing: status, minimal: status,
            expanded: Expanded(
                leading: title, trailing: status, center: status, bottom: note ?? title))
    }
}
