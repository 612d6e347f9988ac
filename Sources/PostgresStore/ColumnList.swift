import EventStore

/// A list of columns as a statement has it.
extension String {
    var columnNames: [String] {
        split { $0 == "," || $0.isWhitespace }.map(String.init)
    }

    /// Each said to be of the table by that name.
    func columns(of alias: String) -> String {
        columnNames.map { "\(alias).\($0)" }.joined(separator: ", ")
    }
}
