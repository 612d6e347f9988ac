import Foundation
import Postgres
public import Terminal

/// Which Postgres the options and the environment mean.
public enum DatabaseAddress: Sendable {
    /// A connection string, checked to be one. It may hold a password and is never printed.
    case given(String)
    /// A private one, in this directory.
    case directory(String)

    public static let options = [
        OptionSpec(
            "database-url", .text(placeholder: "URL"),
            "Postgres to use. Without it Islet runs a private one in the data directory. Others on "
                + "the machine can read command lines: keep a password in --database-url-file, in "
                + "the environment, or in a password file of libpq's (PGPASSFILE).",
            foreignVariable: "DATABASE_URL"),
        OptionSpec(
            "database-url-file", .text(placeholder: "FILE"),
            "Holds what --database-url would say, on one line; only its owner should be able to "
                + "read it."),
        OptionSpec(
            "data-dir", .text(placeholder: "DIR"),
            "Where the private Postgres keeps its data; on the command line it beats a URL in the "
                + "environment. Default: /var/lib/islet for root, else ~/.local/share/islet."),
    ]

    /// What stands on the command line beats the environment.
    public static func of(_ arguments: Arguments) throws(CommandFailure) -> DatabaseAddress {
        let typed = options.map(\.name).filter(arguments.isTyped)
        if typed.count > 1 {
            throw .usage(
                "--\(typed[0]) and --\(typed[1]) are two databases; give one of them")
        }
        let isHere = typed.first == "data-dir"
        let url =
            isHere || typed.first == "database-url-file" ? nil : arguments.text("database-url")
        let file =
            isHere || typed.first == "database-url" ? nil : arguments.text("database-url-file")
        switch (url, file) {
        case (_?, _?):
            throw .usage(
                "the environment has a URL of a database and a file with one: unset DATABASE_URL "
                    + "and ISLET_DATABASE_URL, or ISLET_DATABASE_URL_FILE")
        case (let url?, nil):
            let string = try check(url, "--database-url")
            if typed == ["database-url"], string.hasPassword {
                Console.note(
                    "--database-url: others on this machine can read its password in the list of "
                        + "processes; --database-url-file or PGPASSFILE keeps it secret")
            }
            return .given(url)
        case (nil, let file?): return .given(try read(file))
        case (nil, nil):
            return .directory(
                PrivatePostgres.absolutePath(arguments.text("data-dir") ?? defaultDirectory))
        }
    }

    static var defaultDirectory: String {
        if geteuid() == 0 { return "/var/lib/islet" }
        let environment = ProcessInfo.processInfo.environment
        let home = environment["HOME"] ?? "."
        return (environment["XDG_DATA_HOME"] ?? "\(home)/.local/share") + "/islet"
    }

    private static func read(_ file: String) throws(CommandFailure) -> String {
        guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
            throw .failed("--database-url-file: \(file) cannot be read")
        }
        SecretFile.warnIfOpen(file, option: "database-url-file")
        let url = text.trimmingCharacters(in: .whitespacesAndNewlines)
        _ = try check(url, "--database-url-file: what \(file) holds")
        return url
    }

    private static func check(
        _ url: String, _ name: String
    ) throws(CommandFailure) -> ConnectionString {
        let string = ConnectionString(url)
        // Without the text, which may hold a password.
        if let complaint = string.complaint { throw .usage("\(name) \(complaint)") }
        return string
    }
}
