public import Domain
import Foundation
import JSON

// What a kind is that says no more than it must: what follows is so until the kind says otherwise.

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
    public static let ended = Rule("ended", .alert, isAboutEnd: true, "The activity is over.")
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

    /// As a start's.
    public static func arguments(of state: State) -> Phrase.Arguments {
        startArguments(attributes: attributes(of: state), contentState: contentState(of: state))
    }

    /// Each text and number of the attributes, by its name.
    public static func startArguments(
        attributes: Attributes, contentState: ContentState
    ) -> Phrase.Arguments {
        scalars(attributes).reduce([:]) { arguments, member in
            switch member.value {
            case .string(let text): arguments.adding([member.name: .text(text)])
            case .number(let literal):
                arguments.adding([
                    member.name: Int(literal).map(Phrase.Argument.count) ?? .text(literal)
                ])
            case .bool, .null, .array, .object, .encoded: arguments
            }
        }
    }

    /// Nobody knows.
    public static func plannedEnd(of state: State) -> Moment? { nil }

    /// So long after the last report, or after the planned end if that is later.
    public static func staleAt(
        of state: State, at recordedAt: Moment, under policy: Policy
    ) -> Moment? {
        max(plannedEnd(of: state) ?? recordedAt, recordedAt)
            .adding(seconds: policy[own(.staleAfter)])
    }

    /// It has none.
    public static func rule(before: State, after: State, under policy: Policy) -> Rule? { nil }

    /// By the phase.
    public static func ending(of change: Change<Self>) -> Ending? {
        phase(of: change.after) == .ended ? change.ending(staying: own(.dismiss)) : nil
    }

    /// By the kind's own rule, else by the phase.
    public static func assess(_ change: Change<Self>) -> Assessment { change.plainAssessment }

    /// Less once it is over.
    public static func relevanceScore(of state: State, under policy: Policy) -> Double {
        phase(of: state) == .ended ? 25 : 50
    }

    fileprivate static func words(_ rule: String, of state: State) -> Words {
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

extension Change {
    /// What a plain kind makes of it: for a kind whose own `assess` adds to that. Of each of its
    /// own rules only the newest alert is true, and once all is over none.
    public var plainAssessment: Assessment {
        let isOver = Kind.phase(of: after) == .ended
        let ongoing: Rule = Kind.phase(of: before) == .scheduled ? .first : .progress
        let rule =
            Kind.rule(before: before, after: after, under: policy) ?? (isOver ? .ended : ongoing)
        return assessment(
            rule, words: Kind.words(rule.name, of: after),
            alertContext: alertContext(of: rule, isOver: isOver))
    }

    private func alertContext(of rule: Rule, isOver: Bool) -> AlertContext {
        guard isOver else { return rule.hasWords ? .newest(rule.name) : AlertContext() }
        let others = Kind.rules.filter { $0.hasWords && $0.name != rule.name }
        return AlertContext(withdrawing: others.map(\.name))
    }
}

extension ActivityKind {
    /// Nothing that is worth more than its members.
    public static func status(of contentState: ContentState) -> Presentation.Line? { nil }

    /// The first text of the attributes, by their names, and how it stands. Without a status, each
    /// member of attributes and state that is a text, a number or a flag: so that there is
    /// something to see while nobody has drawn a card.
    public static func presentation(
        attributes: Attributes, contentState: ContentState
    ) -> Presentation {
        let fixed = scalars(attributes)
        if let status = status(of: contentState) {
            let title = fixed.compactMap(\.value.text).first
            return Presentation(title: title ?? name, short: name, status: status)
        }
        let members = (fixed + scalars(contentState)).map(line)
        return Presentation(
            title: members.first ?? name, short: name, status: .init(members.last ?? ""),
            note: members.dropFirst().dropLast().prefix(2).joined(separator: ", "))
    }

    private static func line(_ member: JSON.Member) -> String {
        switch member.value {
        case .string(let text): "\(member.name) \(text.isolated)"
        case .number(let literal): "\(member.name) \(literal)"
        case .bool(let flag): "\(member.name) \(flag)"
        case .null, .array, .object, .encoded: member.name
        }
    }

    /// The members that are a text, a number or a flag, by their names; but for the activity's id,
    /// which cards have that a push has started, and which says nothing to a person.
    private static func scalars(_ value: some Encodable) -> [JSON.Member] {
        guard case .object(let members)? = try? JSONParser.parse(Array(WireCoder.encode(value)))
        else { return [] }
        return members.filter {
            switch $0.value {
            case .string, .number, .bool: $0.name != "activityID"
            case .null, .array, .object, .encoded: false
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
