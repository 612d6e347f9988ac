import Domain
import EventStore

/// What somebody types to find an activity: the beginning of its id, or beginnings of words that
/// any line of its card, its id, its kind or its facts have.
struct BoardSearch: Sendable {
    let text: String
    let words: [String]

    init(_ text: String) {
        self.text = text
        words = Array(SearchWords(text).words.prefix(Limits.searchedWordsMax))
    }

    /// The first of those that are meant and fit, in order. Those behind them are not looked at.
    func first(
        _ count: Int, of candidates: [Snapshot], fitting filter: ActivityFilter, at now: Moment
    ) -> [Snapshot] {
        var meant: [Snapshot] = []
        for snapshot in sorted(candidates, by: filter.order) {
            guard meant.count < count else { break }
            if filter.fit(snapshot, at: now) == .fits, finds(snapshot) { meant.append(snapshot) }
        }
        return meant
    }

    /// Lines are drawn last, and only for words that are nowhere else: that takes longest.
    private func finds(_ snapshot: Snapshot) -> Bool {
        let id = snapshot.activityID.rawValue
        if Self.begins(id, with: text) { return true }
        guard !words.isEmpty else { return false }
        var missing = Self.words(words, notIn: snapshot.facts.words.words)
        if missing.isEmpty { return true }
        let names = [id, snapshot.kind, snapshot.facts.competition ?? ""]
        missing = Self.words(missing, notIn: names.flatMap { SearchWords($0).words })
        if missing.isEmpty { return true }
        let lines = BoardDocument.lines(of: snapshot)
        return Self.words(missing, notIn: lines.flatMap { SearchWords($0).words }).isEmpty
    }

    /// Those with which none of the others begins.
    private static func words(_ words: [String], notIn others: [String]) -> [String] {
        words.filter { word in !others.contains { begins($0, with: word) } }
    }

    /// The activity whose id was typed comes first.
    private func sorted(_ snapshots: [Snapshot], by order: ActivityFilter.Order) -> [Snapshot] {
        let ordered = order.sorted(snapshots)
        let named = ordered.filter { Self.begins($0.activityID.rawValue, with: text) }
        return named + ordered.filter { !Self.begins($0.activityID.rawValue, with: text) }
    }

    private static func begins(_ text: String, with beginning: String) -> Bool {
        text.utf8.starts(with: beginning.utf8)
    }
}

extension ActivityFilter.Order {
    func sorted(_ snapshots: [Snapshot]) -> [Snapshot] {
        switch self {
        case .id: snapshots.sorted { $0.activityID < $1.activityID }
        case .idDescending: snapshots.sorted { $0.activityID > $1.activityID }
        case .newestChange: snapshots.sorted { $0.position > $1.position }
        }
    }
}
