import Foundation
import Terminal
import Testing

@testable import DatabaseAccess

private func address(
    _ words: [String] = [], _ environment: [String: String] = [:], settings: String? = nil
) throws -> DatabaseAddress {
    let directory = try PrivateDirectory("islet-address-test")
    defer { directory.remove() }
    var words = words
    if let settings {
        try SecretFile.write(settings, to: directory.file("islet.conf"))
        words += ["--config", directory.file("islet.conf")]
    }
    let command = Command(
        path: ["serve"], summary: "", options: Database.options + [Database.visitorOption],
        examples: [], run: { _ in })
    return try .of(Arguments(words, for: command, environment: environment))
}

private func complaint(
    _ words: [String] = [], _ environment: [String: String] = [:], settings: String? = nil
) -> String {
    do {
        _ = try address(words, environment, settings: settings)
        return ""
    } catch { return (error as? CommandFailure)?.text ?? "\(error)" }
}

private func url(_ address: DatabaseAddress) -> String? {
    if case .given(let url) = address { url } else { nil }
}

struct `A connection string` {
    @Test(arguments: [
        "mysql://u:topsecret@h/a", "postgresql://u:top@secret@h/a", "postgresql://u:top/secret@h/a",
        "postgresql://u:topsecret@h:54x/a", "h:5432/a", "postgresql://u:topsecret@[h/a",
    ])
    func `that cannot be meant is refused without what it says`(text: String) {
        let words = complaint(["--database-url", text])
        #expect(words.hasPrefix("--database-url "), "\(words)")
        #expect(words.contains("%2F"), "the remedy: \(words)")
        #expect(!words.contains("secret") && !words.contains("mysql"), "\(words)")
    }

    @Test(arguments: ["postgresql://u:topsecret@h:99999999/a", "host=h sslmode=topsecret"])
    func `with a value that libpq does not know is refused, and not waited for`(text: String) {
        let words = complaint(["--database-url", text])
        #expect(
            words.hasPrefix("--database-url has a value that libpq refuses: invalid "), "\(words)")
        #expect(!words.contains("secret"), "\(words)")
    }

    @Test(arguments: [
        "postgresql://u:p%40%2F@h/a", "postgres://h1,h2/a", "host=h dbname=a", "islet",
        "postgresql:///a?host=%2Frun%2Fpostgresql",
    ])
    func `is taken in each form that libpq has`(text: String) throws {
        #expect(try url(address([], ["DATABASE_URL": text])) == text)
    }

    @Test func `in a file that has none is refused with the option and the file`() throws {
        let directory = try PrivateDirectory("islet-address-test")
        defer { directory.remove() }
        let file = directory.file("database")
        for text in ["\n", "mysql://u:topsecret@h/a"] {
            try SecretFile.write(text, to: file)
            let words = complaint(["--database-url-file", file])
            #expect(words.hasPrefix("--database-url-file: the text of \(file) is no"), "\(words)")
            #expect(!words.contains("topsecret"))
        }
        try SecretFile.write("postgresql://a:topsecret@h/one\n# another", to: file)
        #expect(
            complaint(["--database-url-file", file])
                == "--database-url-file: \(file) must have a database URL on one line, and no more")
    }
}

struct `Which database is meant` {
    private let url1 = "postgresql://a@h/one"
    private let url2 = "postgresql://a@h/two"

    @Test func `is the URL where the environment has a directory too`() throws {
        let found = try address([], ["DATABASE_URL": url1, "ISLET_DATA_DIR": "d"])
        #expect(url(found) == url1)
    }

    @Test func `is Islet's own variable before the one that others use`() throws {
        let found = try address([], ["DATABASE_URL": url1, "ISLET_DATABASE_URL": url2])
        #expect(url(found) == url2)
    }

    @Test func `is what the environment says before a file of settings`() throws {
        let settings = "database-url = \(url1)\n"
        #expect(try url(address(settings: settings)) == url1)
        #expect(try url(address([], ["DATABASE_URL": url2], settings: settings)) == url2)
        guard case .directory = try address([], ["ISLET_DATA_DIR": "d"], settings: settings) else {
            Issue.record("the file of settings won")
            return
        }
    }

    @Test func `cannot be two in one place, and both are named`() {
        #expect(
            complaint(["--database-url", url1, "--database-url-file", "f"])
                == "--database-url and --database-url-file are two databases; give one of them")
        let words = complaint(settings: "database-url = \(url1)\ndata-dir = d\n")
        #expect(words.contains("islet.conf:1: database-url and "), "\(words)")
        #expect(words.contains("islet.conf:2: data-dir are two databases"), "\(words)")
        #expect(
            complaint([], ["DATABASE_URL": url1, "ISLET_DATABASE_URL_FILE": "f"])
                .contains("unset DATABASE_URL and ISLET_DATABASE_URL, or ISLET_DATABASE_URL_FILE"))
    }

    @Test func `is one in the home of the user who runs it, and root's in /var`() {
        let directory = DatabaseAddress.defaultDirectory
        if geteuid() == 0 {
            #expect(directory == "/var/lib/islet")
        } else {
            #expect(directory.hasSuffix("/islet") && !directory.hasPrefix("/var/lib"))
        }
    }

    @Test func `has no visitor of its own where it is private`() {
        #expect(
            complaint(["--data-dir", "d", "--database-visitor", "v"])
                == "--database-visitor and --data-dir contradict each other; give one of them")
        #expect(complaint(["--database-url", url1, "--database-visitor", "v"]) == "")
    }

    @Test func `is not a private one because the address of the visitor's was forgotten`() {
        let missing =
            "--database-visitor says nothing without the address of a database; give "
            + "--database-url or --database-url-file too"
        #expect(complaint(["--database-visitor", "v"]) == missing)
        let visitor = ["ISLET_DATABASE_VISITOR": "v"]
        #expect(complaint([], visitor) == missing)
        #expect(complaint([], visitor.merging(["ISLET_DATA_DIR": "d"]) { $1 }) == missing)
        let line = complaint(settings: "database-visitor = v\n")
        #expect(line.contains("islet.conf:1: database-visitor says nothing"), "\(line)")
        #expect(complaint(["--data-dir", "d"], visitor) == "")
        #expect(complaint([], visitor.merging(["DATABASE_URL": url1]) { $1 }) == "")
    }
}
