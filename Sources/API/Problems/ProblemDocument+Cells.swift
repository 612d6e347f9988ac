import EventStore
import HTTP

extension ProblemDocument {
    /// Of a tenant that is in another cell: with an address if there is one to tell.
    static func elsewhere(_ cell: Cell, _ request: Request) -> ProblemDocument {
        var problem: ProblemDocument
        if let url = cell.url {
            problem = ProblemDocument(
                .tenantRedirected, "The tenant has moved to the cell \(cell.name).",
                headers: ["location": url + request.target])
        } else {
            problem = ProblemDocument(
                .tenantMoved, "The tenant has moved to the cell \(cell.name).")
        }
        problem.cell = cell.name
        return problem
    }
}
