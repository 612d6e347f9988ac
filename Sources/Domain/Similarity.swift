/// Finds what a person probably meant.
public enum Similarity {
    /// The closest candidates by edit distance, at most three, none that differs in more than half
    /// of its letters.
    public static func nearest(to text: String, among candidates: [String]) -> [String] {
        let wanted = Array(text.lowercased().unicodeScalars)
        return
            candidates
            .map { (name: $0, distance: distance(wanted, Array($0.lowercased().unicodeScalars))) }
            .filter { $0.distance * 2 <= max(wanted.count, $0.name.unicodeScalars.count) }
            .sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }
            .prefix(3)
            .map(\.name)
    }

    /// How many letters have to be put in, taken out or changed to get from one to the other.
    public static func distance(_ left: String, _ right: String) -> Int {
        distance(Array(left.unicodeScalars), Array(right.unicodeScalars))
    }

    /// Levenshtein's distance, one row at a time.
    private static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
        var row = Array(0...right.count)
        for (i, a) in left.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, b) in right.enumerated() {
                let substituted = diagonal + (a == b ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(substituted, row[j] + 1, diagonal + 1)
            }
        }
        return row[right.count]
    }
}
