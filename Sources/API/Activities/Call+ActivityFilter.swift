import Domain
import EventStore
import HTTP
import Projections

extension Call {
    static let filterNames = ["kind", "phase", "faulted", "late", "updatedSince", "q"]

    func activityFilter() throws(ProblemDocument) -> ActivityFilter {
        ActivityFilter(
            kinds: try kinds(), phases: try phases(), isBlocked: try optionalFlag("faulted"),
            isLate: try optionalFlag("late"), updatedSince: try moment("updatedSince"),
            words: try words())
    }

    /// Where this list goes on: with the parameters, and with those of this call that are named.
    func link(_ parameters: [String] = [], keeping names: [String]) -> String {
        let kept = names.compactMap { name in
            query[name].map { "\(name)=\(PercentEncoding.encoded($0))" }
        }
        return "\(request.path)?" + (parameters + kept).joined(separator: "&")
    }

    /// `after`: an id, or a place where the list is in order of last changes.
    /// - Parameter names: of the parameters with which the list would begin again.
    func place(
        byChange: Bool, _ gate: EpochGate, keeping names: [String]
    ) throws(ProblemDocument) -> ActivityPage.Place? {
        guard byChange else { return try text("after").map { .id(ActivityID(rawValue: $0)) } }
        guard let wanted = try cursor(InEpoch<ActivityChange.Place>.self) else { return nil }
        try gate.require(wanted.epoch) { link(keeping: names) }
        return .change(wanted.place)
    }

    /// Where a list of activities goes on.
    func next(
        after place: ActivityPage.Place, _ limit: Int, keeping names: [String]
    ) -> String {
        let after =
            switch place {
            case .id(let id): PercentEncoding.encoded(id.rawValue)
            case .change(let place): LogStatus(epoch: epoch).cursor(place.cursor)
            }
        return link(["after=\(after)", "limit=\(limit)"], keeping: names)
    }

    func moment(_ name: String) throws(ProblemDocument) -> Moment? {
        guard let text = query[name] else { return nil }
        do throws(MomentError) { return try Moment(new: text) } catch {
            throw ProblemDocument(.invalidParameter, "`\(name)` must be \(error.expectation).")
        }
    }

    private func kinds() throws(ProblemDocument) -> Set<String> {
        let names = list("kind")
        for name in names where ActivityCatalog.standard.kind(named: name) == nil {
            let known = ActivityCatalog.standard.kinds.map { $0.name }.joined(separator: ", ")
            throw ProblemDocument(.invalidParameter, "`kind` must be among \(known).")
        }
        return Set(names)
    }

    private func phases() throws(ProblemDocument) -> Set<Phase> {
        var phases: Set<Phase> = []
        for name in list("phase") {
            guard let phase = Phase(rawValue: name) else {
                let known = Phase.allCases.map(\.rawValue).joined(separator: ", ")
                throw ProblemDocument(.invalidParameter, "`phase` must be among \(known).")
            }
            phases.insert(phase)
        }
        return phases
    }

    private func words() throws(ProblemDocument) -> SearchWords {
        guard let text = try text("q") else { return SearchWords() }
        let words = SearchWords(text)
        guard !words.isEmpty else {
            throw ProblemDocument(.invalidParameter, "`q` must have a word or a number.")
        }
        return words
    }

    /// The values of a parameter, with commas between them; none without it.
    func list(_ name: String) -> [String] {
        query[name].map {
            $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        } ?? []
    }
}
