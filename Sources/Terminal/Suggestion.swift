import Domain

/// Asks whether somebody meant something else that there is.
public enum Suggestion {
    /// Of candidates that have the text as one of their words, or else of slips of the finger: two
    /// letters that changed places, or up to a third of all.
    /// - Parameter written: how a candidate stands in the sentence.
    /// - Returns: the end of a sentence, such as `; did you mean --port?`; empty when nothing is
    ///   near.
    public static func question(
        about text: String, among candidates: [String], written: (String) -> String = { $0 }
    ) -> String {
        let whole = candidates.filter { $0.split(separator: "-").contains { $0 == text } }
        if (1...wholeMax).contains(whole.count) { return question(whole.map(written)) }
        let near = Similarity.nearest(to: text, among: candidates).filter {
            let letters = max(text.count, $0.count)
            return Similarity.distance(text, $0) <= max(letters / 3, min(2, letters / 2))
        }
        guard let first = near.first else { return "" }
        let best = Similarity.distance(text, first)
        let nearest = near.filter { Similarity.distance(text, $0) == best }
        return question(nearest.map(written))
    }

    /// Where a word stands in more of them, it says too little.
    private static let wholeMax = 3

    private static func question(_ meant: [String]) -> String {
        "; did you mean \(meant.joined(separator: " or "))?"
    }
}
