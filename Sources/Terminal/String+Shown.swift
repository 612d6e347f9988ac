extension String {
    /// In one line, and nothing in it tells a terminal what to do.
    var inOneLine: String {
        guard unicodeScalars.contains(where: \.isControlOrLineEnd) else { return self }
        return String(
            String.UnicodeScalarView(unicodeScalars.map { $0.isControlOrLineEnd ? " " : $0 }))
    }

    /// As much of a text that somebody else has written as a person reads, in one line.
    public func shown(_ charactersMax: Int = 80) -> String {
        // One letter may have marks without end.
        let head = unicodeScalars.prefix(max(0, charactersMax) * 8)
        let text = String(head).inOneLine
        guard head.endIndex < unicodeScalars.endIndex || text.count > charactersMax else {
            return text
        }
        return text.prefix(max(0, charactersMax - 1)) + "…"
    }
}
