/// Takes a table apart: commas, quotes where a cell holds one, two for one (RFC 4180). The mark of
/// byte order, which spreadsheets write before a table, is none of its first name.
struct CSVRows {
    private var rest: Substring.UnicodeScalarView
    private var number = 0

    init(_ text: String) {
        rest = Substring(text.replacing("\r\n", with: "\n")).unicodeScalars
        if rest.first == "\u{FEFF}" { rest.removeFirst() }
    }

    /// - Returns: nil at the end.
    mutating func next() throws(ConversionFault) -> [String]? {
        guard !rest.isEmpty else { return nil }
        number += 1
        var cells: [String] = []
        var cell = ""
        var isQuoted = false
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\"" where isQuoted && rest.first == "\"":
                cell.unicodeScalars.append("\"")
                rest.removeFirst()
            // Within a cell it is a sign of inches.
            case "\"" where isQuoted || cell.isEmpty: isQuoted.toggle()
            case "," where !isQuoted:
                cells.append(cell)
                cell = ""
            case "\n" where !isQuoted: return cells + [cell]
            default: cell.unicodeScalars.append(scalar)
            }
        }
        guard !isQuoted else {
            throw ConversionFault(
                reason: "row \(number), cell \(cells.count + 1) begins with a quote that nothing "
                    + "closes")
        }
        return cells + [cell]
    }
}
