import Projections

extension Call {
    /// The `{kind}` of the path.
    func kind() throws(ProblemDocument) -> any ActivityKind.Type {
        let name = path["kind"] ?? ""
        if let kind = ActivityCatalog.standard.kind(named: name) { return kind }
        let names = ActivityCatalog.standard.kinds.map { $0.name }.joined(separator: ", ")
        throw ProblemDocument(.unknownKind, "The kind in the path is none of \(names).")
    }
}
