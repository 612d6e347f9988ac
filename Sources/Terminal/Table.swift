/// Rows under headings, in columns as wide as their widest cell. A cell is one line.
public enum Table {
    /// - Precondition: every row has a cell per heading.
    public static func text(_ headings: [String], _ rows: [[String]]) -> String {
        let lines = ([headings] + rows).map { $0.map(\.inOneLine) }
        let widths = headings.indices.map { column in
            lines.map { $0[column].count }.max() ?? 0
        }
        return lines.map { line in
            let cells = zip(line, widths).map { cell, width in
                cell + String(repeating: " ", count: width - cell.count)
            }
            let text = cells.joined(separator: "  ")
            return String(text.reversed().drop { $0 == " " }.reversed())
        }.joined(separator: "\n")
    }
}
