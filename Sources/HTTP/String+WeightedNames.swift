extension String {
    /// What a field such as `Accept` lists, in lower case, each with its weight (RFC 9110, 12.4.2).
    public var weightedNames: [(name: String, weight: Double)] {
        lowercased().split(separator: ",").compactMap { entry in
            let parts = entry.split(separator: ";").map {
                $0.filter { $0 != " " && $0 != "\t" }
            }
            let weight =
                parts.dropFirst().first { $0.hasPrefix("q=") }
                .flatMap { Double($0.dropFirst(2)) } ?? 1
            // A weight that is none, such as `nan`, must not win.
            return parts.first.map { (name: $0, weight: (0...1).contains(weight) ? weight : 0) }
        }
    }
}
