import Domain

/// What was sent, and what is known of those it was sent to.
struct PushBook {
    struct Recorded: Hashable {
        var tokenHex: String
        var timestamp: Int64
    }

    /// By token, as they came to APNs.
    private(set) var pushes: [String: [SentPush]] = [:]
    /// Acceptances that are written down in the store.
    var recorded: Set<Recorded> = []
    private(set) var owners: [String: CardName] = [:]
    private(set) var tokens: [CardName: [String]] = [:]
    /// The person by push-to-start token.
    var startTokens: [String: String] = [:]
    /// What an app has still to say of a card.
    var unsent: [CardName: [CardRequest]] = [:]
    /// Tokens that APNs does not know, which is written down: as what they were registered then,
    /// and with which push it was found out.
    var unfit: [String: (tokenVersion: Int, timestamp: Int64)] = [:]
    /// Tokens that are registered, by the answers that an app got.
    var served: Set<String> = []
    /// Cards that the app has told were swiped away.
    var dismissed: Set<CardName> = []
    var wasAway: Set<String> = []
    /// When the database was set back.
    var restoredAt: Moment?
    /// What APNs has accepted, by channel.
    var broadcasts: [String: [SentPush]] = [:]
    /// Cards that their app began for a channel.
    var listeners: Set<CardName> = []
    /// Connections that APNs has told to go away, and when what was under way has arrived.
    var closing: [UInt64: Moment] = [:]
    /// Head and checkpoint of each log when it was last looked through.
    var checked: [TenantID: [Int64]] = [:]
    /// Of the newest state that was shown.
    var shownVersion: [CardName: Int64] = [:]
    private(set) var starts: [CardName: Int] = [:]

    mutating func own(_ token: PushToken, _ name: CardName) {
        owners[token.hex] = name
        tokens[name, default: []].append(token.hex)
    }

    mutating func note(_ push: SentPush, for name: CardName?) {
        pushes[push.tokenHex, default: []].append(push)
        guard push.event == "start", push.refusal == nil, let name else { return }
        starts[name, default: 0] += 1
    }

    /// What APNs has accepted for a card, under any of its tokens.
    func accepted(_ name: CardName) -> [SentPush] {
        (tokens[name] ?? []).flatMap { pushes[$0] ?? [] }.filter { $0.refusal == nil }
            .sorted { $0.at < $1.at }
    }

    func isRecorded(_ push: SentPush) -> Bool {
        recorded.contains(Recorded(tokenHex: push.tokenHex, timestamp: push.timestamp))
    }
}
