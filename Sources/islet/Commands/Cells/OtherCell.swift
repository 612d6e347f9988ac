import DatabaseAccess
import Postgres
import PostgresStore
import Terminal

/// The database of another cell, beside the one that `--database-url` names.
enum OtherCell {
    static let options = [
        OptionSpec(
            "to-url-file", .text(placeholder: "FILE"),
            "Holds the URL of the other cell's database, on one line; only its owner should be "
                + "able to read it.", excludes: "to-data-dir"),
        OptionSpec(
            "to-data-dir", .text(placeholder: "DIR"),
            "Data directory of the other cell, whose private Postgres is on this machine."),
    ]

    static func address(_ arguments: Arguments) throws(CommandFailure) -> DatabaseAddress {
        if let file = arguments.text("to-url-file") { return try .given(in: file, "to-url-file") }
        if let directory = arguments.text("to-data-dir") {
            return .directory(ServerPath.absolute(directory))
        }
        throw .usage("give --to-url-file or --to-data-dir: where the other cell is")
    }

    static func failure(_ failure: TenantMove.Failure) -> CommandFailure {
        switch failure {
        case .refused(let why): .failed(why)
        case .unknownTenant: .failed("there is no such tenant")
        case .store(let error): .failed(Database.explanation(of: error))
        }
    }
}
