public import Domain

/// One kind of activity: its events, its fold, its policy and its presentation.
///
/// Everything here is pure: no clock, no randomness, no I/O, so the same log gives the same state.
/// The fold must accept its facts late, twice and in any order: a late fact never moves a state
/// backwards, a correction does what it says. Only what cards have shown may go by the order; a
/// state has it in a member `shown`.
public protocol ActivityKind: Sendable {
    associatedtype Attributes: Codable & Hashable & Sendable
    associatedtype ContentState: Codable & Hashable & Sendable
    associatedtype Event: Sendable
    /// What the fold remembers: enough to place facts that come later, out of order or twice.
    /// Encodes as an object that has no member `lifetime`.
    associatedtype State: Codable & Hashable & Sendable

    /// Stored name, for example `PizzaDelivery`; a format, which the attributes write out.
    static var name: String { get }
    /// The Swift name of the attributes type in the app, sent as `attributes-type`. Unless the kind
    /// says otherwise, its name with `Attributes` behind it.
    static var attributesType: String { get }
    /// How each type of event of this kind is stored and decoded.
    static var schemas: [EventSchema<Event>] { get }

    /// Grows with every change of the fold that gives other states for the same events; what an
    /// older one has stored is then folded again. Each kind counts for itself: a change takes the
    /// next number after its present one, which is the standard one if it has none of its own.
    /// With a change of all kinds the standard one grows, and so does each kind's own.
    static var foldVersion: Int { get }

    /// The state before any fact is known.
    static var initial: State { get }
    static func evolve(_ state: inout State, with event: Event, occurredAt: Moment)

    static func phase(of state: State) -> Phase
    /// When an activity that is only scheduled is to go live, as far as the facts say.
    static func plannedStart(of state: State) -> Moment?
    /// When an activity that goes on is to be over, as far as the facts say. A plain kind goes
    /// stale only some time after it; nil unless the kind says otherwise.
    static func plannedEnd(of state: State) -> Moment?
    /// When the state goes stale if nothing is reported after it; not asked after the end. It
    /// follows from the state alone, so that a fold need not ask what each report was worth.
    ///
    /// It is always after `recordedAt`: a report has just come, and a phone that gets a date which
    /// is over marks the card as outdated at once.
    /// - Parameter recordedAt: of the last report.
    static func staleAt(of state: State, at recordedAt: Moment, under policy: Policy) -> Moment?
    /// What people were promised, unless it has come; asked like `staleAt`.
    static func promise(of state: State, under policy: Policy) -> Lifetime.Promise?
    static func attributes(of state: State) -> Attributes
    /// Type of the event whose facts the attributes need, as long as nobody has reported it: until
    /// then they carry placeholders, and no push starts a card. Nil unless the kind says otherwise.
    static func awaited(by state: State) -> String?
    static func contentState(of state: State) -> ContentState
    /// What stands in attributes and content states where nobody is named yet, and so says nothing
    /// of a person; nothing unless the kind says otherwise.
    static var placeholders: [String] { get }
    /// What gives way in a state that no push has room for, in this order and until it fits.
    /// Optional texts go first, and no member goes that the app cannot decode a state without.
    static var cuts: [Cut<ContentState>] { get }
    /// What the activity is to be found and counted by; nothing unless the kind says so.
    static func facts(of state: State) -> ActivityFacts

    /// The figures of the policy that a tenant may change. Unless the kind says otherwise, how long
    /// silence is normal and how long an ended card stays.
    static var thresholds: [Threshold] { get }
    /// Every rule that `assess` names, most significant first: of several alerts in one push, the
    /// first speaks. Unless the kind says otherwise, those of a plain kind: its end, its beginning,
    /// and all else.
    static var rules: [Rule] { get }
    /// The texts of the rules, by language; in the standard one all of them.
    static var texts: Phrasebook.Texts { get }
    /// What the texts of a plain kind's rules are filled in with. Unless the kind says otherwise,
    /// as a start's.
    static func arguments(of state: State) -> Phrase.Arguments
    /// The kind's own rule for a change, where a plain kind's are not enough: asked before those,
    /// also at an end. Nil unless the kind says otherwise.
    static func rule(before: State, after: State, under policy: Policy) -> Rule?
    /// How an activity ends that is over after the change, whatever rule speaks; nil while it is
    /// not. Unless the kind says otherwise, its card stays for as long as a plain kind's.
    static func ending(of change: Change<Self>) -> Ending?

    /// What a change is worth under its policy, whatever that says of budgets and windows: those
    /// come after it. Needs no rule for a change after the end or for one that the phone does not
    /// show: those are the same for every kind. Unless the kind says otherwise, a plain kind's,
    /// which `Change.plainAssessment` gives to one that only adds to it.
    static func assess(_ change: Change<Self>) -> Assessment
    /// What it is worth that a promise is broken; asked of kinds that promise something.
    static func assess(_ broken: BrokenPromise<Self>) -> Assessment
    /// What orders its card among the app's others, where an assessment says nothing of that and
    /// where the clock speaks. An assessment that does has the same for this state. Unless the kind
    /// says otherwise, a plain kind's.
    static func relevanceScore(of state: State, under policy: Policy) -> Double
    /// How it stands, for a plain kind's card. Without it that shows the members of attributes and
    /// state.
    static func status(of contentState: ContentState) -> Presentation.Line?
    /// What a person sees. Unless the kind says otherwise, a plain kind's card.
    static func presentation(attributes: Attributes, contentState: ContentState) -> Presentation
    /// What fills `start.title` and `start.body`: the text on a phone when the card appears on it
    /// although the app is not running. A kind without these texts says the Lock Screen's then.
    /// Unless the kind says otherwise, each text and number of the attributes, by its name.
    static func startArguments(
        attributes: Attributes, contentState: ContentState
    ) -> Phrase.Arguments

    /// How a catalogue folds it. No kind writes that itself: it is here so that the compiler makes
    /// it of each.
    /// - Parameter kinds: by every type of event that the catalogue knows.
    static func foldFactory(_ kinds: [ByteKey: any ActivityKind.Type]) -> FoldFactory
}

extension ActivityKind {
    /// 2: a lifetime says until when quiet hours keep alerts back. 3: it knows ends that may still
    /// be corrected, and promises; times that were still to come are not believed. 4: a snapshot
    /// says which event its attributes wait for.
    public static var foldVersion: Int { 4 }

    /// The eight hours count from when the activity goes live.
    public static func plannedStart(of state: State) -> Moment? { nil }

    /// They wait for nothing.
    public static func awaited(by state: State) -> String? { nil }

    /// Nothing is promised.
    public static func promise(of state: State, under policy: Policy) -> Lifetime.Promise? { nil }

    /// Never asked without a promise.
    public static func assess(_ broken: BrokenPromise<Self>) -> Assessment {
        Assessment(significance: .none, rule: "overdue", reason: "Nothing was promised.")
    }

    /// Nothing can be cut.
    public static var cuts: [Cut<ContentState>] { [] }

    /// Nobody is named.
    public static var placeholders: [String] { [] }

    /// Nothing to search or count by.
    public static func facts(of state: State) -> ActivityFacts { ActivityFacts() }

    /// The types of its events, with their fields in every released version.
    public static var eventTypes: [EventType] { schemas.map(\.eventType) }
}

/// One event and the states on both sides of it, as a policy sees them. An object, for it is handed
/// on and too large to be copied each time.
public final class Change<Kind: ActivityKind>: Sendable {
    /// The state before the event.
    public let before: Kind.State
    /// The state after the event.
    public let after: Kind.State
    /// The event that made the change.
    public let event: Kind.Event
    /// When the event happened, as it is believed.
    public let occurredAt: Moment
    /// What the event says, where that is not believed.
    let future: Moment?
    /// Stands for "now".
    public let recordedAt: Moment
    /// False when the phone would show the same as before.
    public let isVisible: Bool
    /// In force when the event was recorded.
    public let policy: Policy

    public init(
        before: Kind.State, after: Kind.State, event: Kind.Event, occurredAt: Moment,
        recordedAt: Moment, isVisible: Bool, policy: Policy = .builtIn
    ) {
        self.before = before
        self.after = after
        self.event = event
        self.occurredAt = policy.believed(occurredAt, recordedAt: recordedAt)
        future = self.occurredAt == occurredAt ? nil : occurredAt
        self.recordedAt = recordedAt
        self.isVisible = isVisible
        self.policy = policy
    }

    /// How the activity ends, under the policy.
    /// - Parameter dismissal: how long its card stays then.
    public func ending(staying dismissal: Threshold) -> Ending {
        Ending(
            dismissAfterSeconds: policy[dismissal], graceSeconds: policy[Kind.own(.endGrace)])
    }

    /// What a rule of the kind makes of the change.
    /// - Parameters:
    ///   - reason: what the rule says of itself unless there is more to say.
    ///   - words: without them the rule cannot alert, whatever its policy says; asked for where it
    ///     is to.
    ///   - alertContext: what the alert is about, for a rule that others take back or that takes
    ///     back.
    ///   - relevanceScore: the kind's for the state unless it is at hand, or another one.
    ///   - ending: the kind's for the change unless another one.
    public func assessment(
        _ rule: Rule, _ reason: String? = nil, words: @autoclosure () -> Words? = nil,
        alertContext: AlertContext = AlertContext(), relevanceScore: Double? = nil,
        ending: Ending? = nil
    ) -> Assessment {
        Kind.assessment(
            rule, reason ?? rule.why, words: words(), alertContext: alertContext,
            relevanceScore: relevanceScore ?? Kind.relevanceScore(of: after, under: policy),
            ending: ending ?? Kind.ending(of: self), under: policy)
    }
}

extension ActivityKind {
    /// The more significant, the larger.
    static func weight(of rule: Rule) -> Int {
        rules.count - (rules.firstIndex { $0.name == rule.name } ?? rules.count)
    }

    fileprivate static func assessment(
        _ rule: Rule, _ reason: String, words: @autoclosure () -> Words?,
        alertContext: AlertContext,
        relevanceScore: Double, ending: Ending? = nil, under policy: Policy
    ) -> Assessment {
        var significance = policy.significance(of: rule)
        let said = significance == .alert ? words() : nil
        if significance == .alert, case nil = said { significance = .timely }
        var alertContext = alertContext
        alertContext.weight = weight(of: rule)
        return Assessment(
            significance: significance, rule: rule.name, reason: reason,
            isCritical: rule.isCritical || (rule.isAboutEnd && ending != nil),
            alertContext: alertContext, words: said, relevanceScore: relevanceScore, ending: ending,
            isAboutEnd: rule.isAboutEnd)
    }
}

/// A promise that is broken while nobody reports anything, as a policy sees it.
public struct BrokenPromise<Kind: ActivityKind>: Sendable {
    /// All that is known.
    public let state: Kind.State
    /// How long past the promise it is.
    public let overdueSeconds: Double
    let policy: Policy

    /// What a rule of the kind makes of it.
    public func assessment(
        _ rule: Rule, _ reason: String, words: @autoclosure () -> Words?
    ) -> Assessment {
        Kind.assessment(
            rule, reason, words: words(), alertContext: .overdue,
            relevanceScore: Kind.relevanceScore(of: state, under: policy), under: policy)
    }
}
