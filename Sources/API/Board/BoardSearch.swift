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

    func finds(_ snapshot: Snapshot) -> Bool {
        if Self.begins(snapshot.activityID.rawValue, with: text) { return true }
        guard !words.isEmpty else { return false }
        let texts = [snapshot.activityID.rawValue, snapshot.kind, snapshot.facts.competition ?? ""]
        let all = (texts + BoardDocument.lines(of: snapshot)).flatMap { SearchWords($0).words }
        return words.allSatisfy { word in
            snapshot.facts.words.words.contains { Self.begins($0, with: word) }
                || all.contains { Self.begins($0, with: word) }
        }
    }

    /// Whose id was typed comes first.
    func sorted(_ snapshots: [Snapshot], by order: ActivityFilter.Order) -> [Snapshot] {
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
