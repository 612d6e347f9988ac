import Projections

extension Call {
    /// The `{kind}` of the path.
    func kind() throws(ProblemDocument) -> any ActivityKind.Type {
        let name = path["kind"] ?? ""
        if let kind = ActivityCatalog.kind(named: name) { return kind }
        let names = ActivityCatalog.kinds.map { $0.name }.joined(separator: ", ")
        throw ProblemDocument(.unknownKind, "The kind in the path is none of \(names).")
    }
}
