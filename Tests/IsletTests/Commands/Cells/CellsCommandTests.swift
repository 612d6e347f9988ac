import Postgres
import PostgresStore
import Terminal
import Testing

@testable import islet

struct `The cells commands` {
    @Test(arguments: ["EU", "1eu", "eu-1", "eu_1", "abcdefghijklmnopq", "é"])
    func `refuse a name that no cell can have`(name: String) async {
        #expect(
            await CommandWords(["cells", "set", name, "--here"]).refusal()
                == .usage("a cell's name is 1 to 16 of a-z and 0-9, and begins with a letter"))
    }

    @Test func `refuse a name that begins like a ticket`() async {
        let refusal = await CommandWords("cells set t1 --here").refusal()
        #expect(refusal?.exitCode == 2)
        #expect(refusal?.text.contains("tickets") == true)
    }

    @Test func `want to know what is to be set`() async {
        let refusal = await CommandWords("cells set eu1").refusal()
        #expect(refusal == .usage("give --here or --url: what is to be set"))
    }

    @Test func `take a number for this database's own cell alone`() async {
        let refusal = await CommandWords(
            "cells set eu2 --number 2 --url https://eu2.example.com"
        ).refusal()
        #expect(
            refusal
                == .usage("--number is of this database's own cell: give --here as well"))
    }

    @Test(arguments: ["0", "65", "-1", "one"])
    func `take a number from 1 to 64`(number: String) async {
        let refusal = await CommandWords("cells set eu1 --here --number \(number)").refusal()
        #expect(refusal == .usage("--number must be a whole number from 1 to 64"))
    }

    @Test(
        arguments: [
            "eu2.example.com", "ftp://eu2.example.com", "https://", "https:///",
            "https://me:verysecret@eu2.example.com", "https://eu2.example.com?a=1",
            "https://eu2.example.com/a/path",
            "https://eu2.example.com#a", "https://eu2.example.com/\u{7}",
        ])
    func `take nothing but an address for an address, and repeat no password`(
        url: String
    ) async {
        let refusal = await CommandWords(["cells", "set", "eu2", "--url", url]).refusal()
        #expect(
            refusal
                == .usage(
                    "--url must be an address such as https://eu2.example.com, without a path"))
    }

    @Test(arguments: ["cells check", "tenants move pizzeria"])
    func `name one other cell`(line: String) async {
        let none = await CommandWords(line).refusal()
        #expect(none == .usage("give --to-url-file or --to-data-dir: where the other cell is"))
        let both = await CommandWords(line + " --to-url-file a --to-data-dir b").refusal()
        #expect(
            both
                == .usage(
                    "--to-url-file and --to-data-dir contradict each other; give one of them"))
        let missing = await CommandWords(line + " --to-url-file /nowhere").refusal()
        #expect(missing == .failed("--to-url-file: /nowhere does not exist"))
    }

    @Test func `say of a move that broke off that it is not over, whatever broke it off`() {
        #expect(
            OtherCell.failure(.unfinished(.store(.timedOut)))
                == .failed(
                    "Postgres did not answer in time. The move is not over: islet tenants move "
                        + "goes on with it, and as long as the tenant has not left, --cancel ends "
                        + "it"))
        #expect(OtherCell.failure(.stuck("why")) == .failed("why"))
    }

    @Test func `say of which cell's database they cannot go on without, and where it is named`() {
        let lost = PostgresError.connectionLost(detail: "reset")
        #expect(
            OtherCell.failure(.store(lost))
                == .failed(
                    "cannot reach Postgres: reset; check --database-url and that the server runs"))
        #expect(
            OtherCell.failure(.otherStore(lost))
                == .failed(
                    "the other cell: cannot reach Postgres: reset; check --to-url-file and that "
                        + "the server runs"))
    }
}
