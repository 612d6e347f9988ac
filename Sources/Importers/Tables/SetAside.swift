/// Rows of a table of which no events are made, to be put right and converted again.
struct SetAside {
    struct Row: Hashable {
        /// In the table, whose first line is 1.
        var number: Int
        var cells: [String]
        var reason: String
    }

    /// Where they go.
    let path: String
    /// The table's first line.
    var head: [String] = []
    var rows: [Row] = []
    /// Of the table, those without a cell left out.
    var rowsInAll = 0

    /// The table's own columns and one more, so that the same mapping takes it again.
    static let reasonColumn = "rejected because"
    private static let reasonsShownMax = 5

    var csv: String {
        let columns = head.filter { $0 != Self.reasonColumn }
        let places = head.indices.filter { head[$0] != Self.reasonColumn }
        let lines = rows.map { row in
            // A row that has too many cells keeps them behind the reason.
            places.map { $0 < row.cells.count ? row.cells[$0] : "" } + [row.reason]
                + row.cells.dropFirst(head.count)
        }
        return ([columns + [Self.reasonColumn]] + lines).map { cells in
            cells.map(Self.quoted).joined(separator: ",") + "\n"
        }.joined()
    }

    private static func quoted(_ cell: String) -> String {
        guard cell.unicodeScalars.contains(where: { ",\"\n\r".unicodeScalars.contains($0) }) else {
            return cell
        }
        // By scalars: a quote and an accent behind it are one character.
        let doubled = cell.unicodeScalars.reduce(into: "") { text, scalar in
            if scalar == "\"" { text.unicodeScalars.append(scalar) }
            text.unicodeScalars.append(scalar)
        }
        return "\"" + doubled + "\""
    }

    /// How many, and why the first of them.
    var summary: [String] {
        guard !rows.isEmpty else { return ["no row was set aside, and \(path) was not written"] }
        let shown = rows.prefix(Self.reasonsShownMax).map { "  \($0.reason)" }
        let rest = rows.count - shown.count
        return ["set aside: \(rows.count) of \(rowsInAll) rows, in \(path)"] + shown
            + (rest > 0 ? ["  and \(rest) more"] : [])
    }
}
