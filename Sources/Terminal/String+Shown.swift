extension String {
    /// In one line, and nothing in it tells a terminal what to do.
    var inOneLine: String {
        guard unicodeScalars.contains(where: \.isControlOrLineEnd) else { return self }
        return String(
            String.UnicodeScalarView(unicodeScalars.map { $0.isControlOrLineEnd ? " " : $0 }))
    }

    /// Nothing in it tells a terminal more than where a line ends, and what `Paint` does: somebody
    /// else's text may be anywhere in what is printed.
    var forTerminal: String {
        func isKept(_ scalar: Unicode.Scalar) -> Bool {
            !scalar.isControlOrLineEnd || scalar == "\n" || scalar == "\t"
        }
        // By stretches: a scalar at a time, a long timeline in colours would take seconds.
        var text = ""
        var rest = unicodeScalars[...]
        while let place = rest.firstIndex(where: { !isKept($0) }) {
            text += Substring(rest[..<place])
            rest = rest[place...]
            let paint = Paint.controls.first { rest.starts(with: $0.unicodeScalars) }
            text += paint ?? " "
            rest = rest.dropFirst(paint?.unicodeScalars.count ?? 1)
        }
        return text + Substring(rest)
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
