import EventStore
import Terminal
import Testing

@testable import islet

struct `The apps commands` {
    private static let options = [
        ("tenant", "pizzeria"), ("bundle", "com.example.pizza"), ("team", "DEF123GHIJ"),
        ("key-id", "ABC123DEFG"), ("key-file", "/nowhere/AuthKey_ABC123DEFG.p8"),
    ]

    /// Of `apps add`, with one option left out or of another value.
    private func refusal(_ name: String = "", is text: String? = nil) async -> CommandFailure? {
        var words = ["apps", "add"]
        for (option, value) in Self.options {
            guard let given = option == name ? text : value else { continue }
            words += ["--\(option)", given]
        }
        return await CommandWords(words).refusal()
    }

    @Test(
        arguments: [
            ("tenant", "ISLET_TENANT"), ("bundle", "ISLET_BUNDLE"), ("team", "ISLET_TEAM"),
            ("key-id", "ISLET_KEY_ID"), ("key-file", "ISLET_KEY_FILE"),
        ])
    func `say which option is missing`(option: String, variable: String) async {
        #expect(
            await refusal(option)
                == .usage("--\(option) is missing; give it or set \(variable)"))
    }

    @Test func `fail when the key's file is not there`() async {
        #expect(
            await refusal()
                == .failed("--key-file: /nowhere/AuthKey_ABC123DEFG.p8 does not exist")
        )
    }

    @Test(arguments: ["abc123defg", "ABC123DEF", "ABC123DEFGH", "ABC-23DEFG"])
    func `take ids as Apple's site shows them`(id: String) async {
        for option in ["key-id", "team"] {
            #expect(
                await refusal(option, is: id)
                    == .usage(
                        "--\(option) must have 10 capital letters and digits, as Apple's site "
                            + "shows it"))
        }
    }

    @Test(
        arguments: [
            ("com.example.pizza.push-type.liveactivity", "without .push-type.liveactivity"),
            ("DEF123GHIJ.com.example.pizza", "without the team id DEF123GHIJ"),
            ("pizza", "must look like com.example.app"),
            ("com..pizza", "must look like com.example.app"),
            ("com.example.pizza!", "must look like com.example.app"),
        ])
    func `take a bundle id and nothing around it`(bundle: String, remedy: String) async {
        let refusal = await refusal("bundle", is: bundle)
        #expect(refusal?.exitCode == 2)
        #expect(refusal?.text.hasPrefix("--bundle ") == true)
        #expect(refusal?.text.contains(remedy) == true, "\(refusal?.text ?? "")")
    }

    @Test func `know the environments of a key`() async throws {
        let words = "apps add --environment staging"
        #expect(
            await CommandWords(words).refusal()
                == .usage("--environment must be one of sandbox, production, both"))
        #expect(try CommandWords("apps add").arguments().text("environment") == "both")
        #expect(try CommandWords("apps rotate").arguments().text("environment") == nil)
        #expect(AppOptions.name(.both) == "sandbox and production")
        #expect(AppOptions.name(.production) == "production")
    }

    @Test func `never change the team when a key takes over`() async {
        let refusal = await CommandWords("apps rotate --team DEF123GHIJ").refusal()
        #expect(refusal?.exitCode == 2)
        #expect(refusal?.text.hasPrefix("unknown option --team") == true)
    }

    @Test func `encrypt nothing again without master keys`() async {
        #expect(
            await CommandWords("apps rewrap-keys").refusal()
                == .usage("--master-key-file is missing; give it or set ISLET_MASTER_KEY_FILE"))
        #expect(
            await CommandWords("apps rewrap-keys --master-key-file /nowhere").refusal()
                == .failed("--master-key-file: /nowhere does not exist"))
    }
}
