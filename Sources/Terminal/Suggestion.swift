import Domain

/// Asks whether somebody meant something else that there is.
public enum Suggestion {
    /// Of slips of the finger alone: two letters that changed places, or up to a third of all.
    /// - Parameter written: how a candidate stands in the sentence.
    /// - Returns: the end of a sentence, such as `; did you mean --port?`; empty when nothing is
    ///   near.
    public static func question(
        about text: String, among candidates: [String], written: (String) -> String = { $0 }
    ) -> String {
        let near = Similarity.nearest(to: text, among: candidates).filter {
            let letters = max(text.count, $0.count)
            return Similarity.distance(text, $0) <= max(letters / 3, min(2, letters / 2))
        }
        guard let first = near.first else { return "" }
        let best = Similarity.distance(text, first)
        let nearest = near.filter { Similarity.distance(text, $0) == best }
        return "; did you mean \(nearest.map(written).joined(separator: " or "))?"
    }
}
