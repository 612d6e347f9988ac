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
        guard !unicodeScalars.allSatisfy(isKept) else { return self }
        var text = String.UnicodeScalarView()
        var rest = unicodeScalars[...]
        while let first = rest.first {
            let paint =
                isKept(first)
                ? nil : Paint.controls.first { rest.starts(with: $0.unicodeScalars) }
            if let paint {
                text.append(contentsOf: paint.unicodeScalars)
                rest = rest.dropFirst(paint.unicodeScalars.count)
            } else {
                text.append(isKept(first) ? first : " ")
                rest = rest.dropFirst()
            }
        }
        return String(text)
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
