import EventStore
import HTTP

extension ProblemDocument {
    /// The tenant is in another cell, whose address is named if it is known.
    static func elsewhere(_ cell: Cell, _ request: Request) -> ProblemDocument {
        var problem = ProblemDocument(
            cell.url == nil ? .tenantMoved : .tenantRedirected,
            "The tenant has moved to the cell \(cell.name).")
        if let url = cell.url { problem.headers.append("location", url + request.target) }
        problem.cell = cell.name
        return problem
    }
}
