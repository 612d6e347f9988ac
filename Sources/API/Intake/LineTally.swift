import EventStore
import HTTP
import JSON

/// How far a body of lines has come, and what its sender learns of it.
struct LineTally {
    let isPartial: Bool
    var lines: Int64 = 0
    var unknownFields = 0
    private var recorded: Int64 = 0
    private var alreadyKnown: Int64 = 0
    private var refused: Int64 = 0
    private var first: AppendResult?
    /// Those of the first lines, in their order.
    private var problems: [(line: Int64, inputError: ProblemDocument.InputError)] = []

    init(isPartial: Bool) { self.isPartial = isPartial }

    mutating func count(_ result: AppendResult) {
        switch result {
        case .recorded:
            recorded += 1
            first = first ?? result
        case .alreadyKnown: alreadyKnown += 1
        case .contentConflict, .batchConflict, .versionConflict, .notRecorded:
            preconditionFailure("a line that is not in the log has a problem")
        }
    }

    mutating func refuse(_ line: Int64, _ errors: [ProblemDocument.InputError]) {
        refused += 1
        // Conflicts are found after the errors of later lines.
        let isFull = problems.count >= Limits.errorsListedMax
        guard !isFull || line < problems.last?.line ?? 0 else { return }
        problems += errors.map { (line, LineTally.placed($0, line)) }
        problems.sort { $0.line < $1.line }
        problems.removeLast(max(0, problems.count - Limits.errorsListedMax))
    }

    private static func placed(
        _ inputError: ProblemDocument.InputError, _ line: Int64
    ) -> ProblemDocument.InputError {
        var placed = inputError
        placed.figures["line"] = line
        return placed
    }

    /// Recording stops at this line, which is not recorded; every line before it is.
    func refusal(of line: Int64, _ document: ProblemDocument) -> ProblemDocument {
        var placed = interrupted(by: document)
        placed.errors = document.errors.map { LineTally.placed($0, line) }
        placed.figures["line"] = line
        placed.detail = "Line \(line): " + document.detail
        return placed
    }

    /// Recording stops, and no line is to blame. More than `recorded` may stand in the log if the
    /// store was lost in the middle of a commit.
    func interrupted(by document: ProblemDocument) -> ProblemDocument {
        var document = document
        document.figures["recorded"] = recorded
        document.figures["alreadyKnown"] = alreadyKnown
        guard isPartial else { return document }
        // A client that goes on from here hears of no earlier line again.
        document.figures["line"] = lines + 1
        document.figures["refused"] = refused
        document.problems = problems.map(\.inputError)
        return document
    }

    func response(in log: LogStatus) -> Response {
        var document: JSON = [
            "lines": .integer(lines), "recorded": .integer(recorded),
            "alreadyKnown": .integer(alreadyKnown), "unknownFields": .integer(unknownFields),
        ]
        if isPartial {
            document["refused"] = .integer(refused)
            document["problems"] = .array(problems.map(\.inputError.json))
        }
        let isAllNew = recorded > 0 && alreadyKnown == 0
        return Response.json(refused > 0 ? 207 : isAllNew ? 201 : 200, document)
            .located(at: first, count: Int(clamping: recorded), in: log)
    }
}
