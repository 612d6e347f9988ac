import Terminal
import Testing

@testable import islet

struct `The keys commands` {
    @Test func `make no key without a tenant`() async {
        #expect(
            await CommandWords("keys create").refusal()
                == .usage("--tenant is missing; give it or set ISLET_TENANT"))
    }

    @Test func `name every scope that there is`() async {
        let refusal = await CommandWords("keys create --tenant a --scope write").refusal()
        #expect(refusal?.exitCode == 2)
        #expect(refusal?.text.hasPrefix("--scope must be one of ") == true)
        let scopes = [
            "events:write", "activities:read", "registrations:write", "admin", "tenants:manage",
        ]
        for scope in scopes { #expect(refusal?.text.contains(scope) == true, "\(scope)") }
    }

    @Test(arguments: [
        "two\nlines", String(repeating: "é", count: 101), " ", "\u{202E}\u{200B}", "a\u{1B}[2J",
    ])
    func `take one line of at most 200 bytes for a label`(label: String) async {
        #expect(
            await CommandWords(["keys", "create", "--tenant", "a", "--label", label]).refusal()
                == .usage(
                    "--label must be one line of at most 200 bytes, not blank, without control "
                        + "characters"))
    }

    @Test func `make no key that has ended`() async {
        let words = "keys create --tenant a --expires 2020-01-01T00:00:00Z"
        #expect(await CommandWords(words).refusal() == .usage("--expires lies in the past"))
    }

    @Test func `say what an end may look like`() async {
        let refusal = await CommandWords("keys create --tenant a --expires 30s").refusal()
        #expect(refusal?.exitCode == 2)
        for part in ["--expires", "30d", "12h", "90m", "RFC 3339"] {
            #expect(refusal?.text.contains(part) == true, "\(part)")
        }
    }

    @Test(arguments: ["0", "3.0", "islet_verysecret"])
    func `revoke by a number, and never repeat a key`(id: String) async {
        #expect(
            await CommandWords("keys revoke \(id)").refusal()
                == .usage("ID must be a number of `islet keys list`, never the key itself"))
    }
}
