public import Domain

extension ActivityCatalog {
    /// Why an event of this type is refused: no kind has it. Names what was probably meant.
    /// - Parameter others: types that would be taken as well, such as the clock's by readers.
    public func unknownType(_ name: String, beside others: [String] = []) -> EventRefusal {
        let close = resembling(name, eventTypes.map(\.name) + others).map { "`\($0)`" }
            .joined(separator: ", ")
        return EventRefusal(
            .unknownType, pointer: "/type",
            detail: "no activity kind has events of this type"
                + (close.isEmpty ? "; GET /v1/schemas lists them" : "; the closest: \(close)"))
    }

    /// The closest by the whole name, else by what comes after the last dot.
    private func resembling(_ name: String, _ types: [String]) -> [String] {
        // A name out of all proportion resembles nothing, and comparing it would take long.
        guard name.utf8.count <= 2 * Limits.eventTypeBytesMax else { return [] }
        let whole = Similarity.nearest(to: name, among: types)
        guard whole.isEmpty else { return whole }
        func ending(_ name: String) -> String {
            name.split(separator: ".").last.map(String.init) ?? name
        }
        let endings = Similarity.nearest(to: ending(name), among: Array(Set(types.map(ending))))
        return types.filter { endings.contains(ending($0)) }
    }
}
