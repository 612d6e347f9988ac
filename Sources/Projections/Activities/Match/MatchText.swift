/// Small pieces of wording that the fold, the policy and the presentation of a match share.
enum MatchText {
    /// `Lionel Messi 45+2'`, with whatever is known of it.
    static func credit(_ player: String?, _ minute: Int?, _ addedMinutes: Int?) -> String {
        let clock = minute.map { minute in
            addedMinutes.map { "\(minute)+\($0)'" } ?? "\(minute)'"
        }
        return [player, clock].compactMap(\.self).joined(separator: " ")
    }

    /// `title: detail`, or the title alone.
    static func line(_ title: String, _ detail: String) -> String {
        detail.isEmpty ? title : "\(title): \(detail)"
    }

    /// `3–2`
    static func score(_ home: Int, _ away: Int) -> String { "\(home)–\(away)" }
}
