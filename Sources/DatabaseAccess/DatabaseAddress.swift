import Foundation
import Postgres
public import Terminal

/// Which Postgres the options and the environment mean.
public enum DatabaseAddress: Sendable {
    /// A connection string, checked to be one. It may have a password and is never printed.
    case given(String)
    /// A private one, in this directory.
    case directory(String)

    /// Of a private one.
    var directory: DataDirectory? {
        if case .directory(let path) = self { DataDirectory(path: path) } else { nil }
    }

    public static let options = [
        OptionSpec(
            "database-url", .text(placeholder: "URL"),
            "Postgres to use. Without it Islet runs a private one in the data directory. Others on "
                + "the machine can read command lines: keep a password in --database-url-file, in "
                + "the environment, or in a password file of libpq's (PGPASSFILE).",
            foreignVariable: "DATABASE_URL", isSecret: true),
        OptionSpec(
            "database-url-file", .text(placeholder: "FILE"),
            "Has what --database-url would say, on one line; only its owner should be able to "
                + "read it.", isReloadable: true),
        OptionSpec(
            "data-dir", .text(placeholder: "DIR"),
            "Where the private Postgres keeps its data; on the command line it beats a URL in the "
                + "environment. Default: /var/lib/islet for root, else ~/.local/share/islet."),
    ]

    /// What stands on the command line beats the environment, and that beats a file of settings.
    public static func of(_ arguments: Arguments) throws(CommandFailure) -> DatabaseAddress {
        let best = options.map { arguments.origin($0.name) }.max() ?? .standard
        var given = options.map(\.name).filter { name in
            arguments.text(name) != nil && arguments.origin(name) >= best
        }
        // An environment may have a directory for when it has no URL.
        if case .variable = best, given.count > 1 { given.removeAll { $0 == "data-dir" } }
        if given.count > 1 {
            let (first, second) = (
                arguments.written(given[0]).name, arguments.written(given[1]).name
            )
            if case .variable = best {
                throw .usage(
                    "the environment has a URL of a database and a file with one: unset "
                        + "DATABASE_URL and ISLET_DATABASE_URL, or ISLET_DATABASE_URL_FILE")
            }
            throw .usage("\(first) and \(second) are two databases; give one of them")
        }
        switch given.first {
        case "database-url":
            let string = try check(arguments.text("database-url") ?? "", "--database-url")
            if best == .flag, string.hasPassword {
                Console.note(
                    "--database-url: others on this machine can read its password in the list of "
                        + "processes; --database-url-file or PGPASSFILE keeps it secret")
            }
            return .given(arguments.text("database-url") ?? "")
        case "database-url-file":
            return try .given(in: arguments.text("database-url-file") ?? "", "database-url-file")
        default:
            try refuseLonelyVisitor(arguments)
            return .directory(
                ServerPath.absolute(arguments.text("data-dir") ?? defaultDirectory))
        }
    }

    /// Where the address was forgotten, a fresh database would look like one that lost everything.
    /// A directory that stands in a better place than the visitor is meant.
    private static func refuseLonelyVisitor(_ arguments: Arguments) throws(CommandFailure) {
        let visitor = Database.visitorOption.name
        guard arguments.text(visitor) != nil,
            arguments.origin(visitor) >= arguments.origin("data-dir")
        else { return }
        throw .usage(
            "\(arguments.written(visitor).name) says nothing without the address of a database; "
                + "give --database-url or --database-url-file too")
    }

    static var defaultDirectory: String {
        if geteuid() == 0 { return "/var/lib/islet" }
        let environment = ProcessInfo.processInfo.environment
        let home = environment["HOME"] ?? "."
        return (environment["XDG_DATA_HOME"] ?? "\(home)/.local/share") + "/islet"
    }

    /// The one whose URL a file has.
    /// - Parameter option: that named the file.
    public static func given(
        in file: String, _ option: String
    ) throws(CommandFailure) -> DatabaseAddress {
        let text = try GivenFile.text(file, option: option)
        SecretFile.warnIfOpen(file, option: option)
        let url = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !url.contains(where: \.isNewline) else {
            throw .failed("--\(option): \(file) must have a database URL on one line, and no more")
        }
        _ = try check(url, "--\(option): the text of \(file)")
        return .given(url)
    }

    private static func check(
        _ url: String, _ name: String
    ) throws(CommandFailure) -> ConnectionString {
        let string = ConnectionString(url)
        // Without the text, which may have a password.
        if let complaint = string.complaint ?? string.refusal {
            throw .usage("\(name) \(complaint)")
        }
        return string
    }
}
