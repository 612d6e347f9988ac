import Testing

@testable import Terminal

private let command = Command(
    path: ["paint"], summary: "Paint a wall.",
    operands: [Command.Operand(name: "WALL", help: "which one")],
    options: [
        OptionSpec("coats", .integer(1...3), "How many.", default: "1"),
        OptionSpec(
            "colour", .choice(["red", "blue"]), "Which.", repeats: true, alsoCalled: "tint"),
        OptionSpec("speed", .speed, "How fast."),
        OptionSpec("dry-run", .flag, "Do nothing."),
        OptionSpec(
            "paint-url", .text(placeholder: "URL"), "Where from.", foreignVariable: "PAINT"),
        OptionSpec("gloss", .flag, "Shining.", needs: "colour"),
        OptionSpec("matt", .flag, "Not shining.", excludes: "gloss"),
    ],
    examples: ["islet paint north"]
) { _ async throws(CommandFailure) in }

private func parse(
    _ words: String..., environment: [String: String] = [:]
) throws(CommandFailure) -> Arguments {
    try Arguments(words, for: command, environment: environment)
}

private func complaint(
    _ words: String..., environment: [String: String] = [:]
) -> String? {
    do throws(CommandFailure) {
        _ = try Arguments(words, for: command, environment: environment)
        return nil
    } catch {
        guard case .usage(let text) = error else { return nil }
        return text
    }
}

struct `The command line` {
    @Test func `takes options before and after operands, with and without equals sign`() throws {
        let arguments = try parse("--coats=2", "north", "--colour", "red", "--colour", "blue")
        #expect(arguments.operand("WALL") == "north")
        #expect(arguments.integer("coats") == 2)
        #expect(arguments.texts("colour") == ["red", "blue"])
    }

    @Test func `falls back to defaults and leaves out what has none`() throws {
        let arguments = try parse("north")
        #expect(arguments.integer("coats") == 1)
        #expect(arguments.text("paint-url") == nil)
        #expect(!arguments.flag("dry-run"))
    }

    @Test func `reads environment variables, which a flag overrides`() throws {
        let environment = ["ISLET_COATS": "3", "ISLET_DRY_RUN": "1", "ISLET_COLOUR": "red, blue"]
        let arguments = try parse("north", environment: environment)
        #expect(arguments.integer("coats") == 3)
        #expect(arguments.flag("dry-run"))
        #expect(arguments.texts("colour") == ["red", "blue"])
        #expect(try parse("north", "--coats", "2", environment: environment).integer("coats") == 2)
    }

    @Test func `prefers its own variable to the one that others use`() throws {
        #expect(try parse("n", environment: ["PAINT": "a"]).text("paint-url") == "a")
        let both = ["PAINT": "a", "ISLET_PAINT_URL": "b"]
        #expect(try parse("n", environment: both).text("paint-url") == "b")
    }

    @Test func `treats an empty variable as absent`() throws {
        #expect(try parse("n", environment: ["ISLET_COATS": ""]).integer("coats") == 1)
    }

    @Test func `reads speeds with and without an x`() throws {
        #expect(try parse("n", "--speed", "60x").speed("speed") == 60)
        #expect(try parse("n", "--speed", "0.5").speed("speed") == 0.5)
    }

    @Test(arguments: [
        ("--cotas", "unknown option --cotas; did you mean --coats?"), ("-c", "two dashes"),
        ("-coats", "options have two dashes; did you mean --coats?"),
        ("--frobnicate", "unknown option --frobnicate; see --help"),
        ("--tint", "unknown option --tint; did you mean --colour?"),
        ("--coats=4", "--coats must be a whole number from 1 to 3"),
        ("--coats=two", "--coats must be a whole number"),
        ("--colour=green", "--colour must be one of red, blue"),
        ("--speed=0x", "--speed must be a factor such as 60x, from 0.001x to 1000000x"),
        ("--speed=1e308x", "--speed must be a factor"),
        ("--speed=1e-308x", "--speed must be a factor"),
        ("--speed=-1x", "--speed must be a factor"),
        ("--speed=nan", "--speed must be a factor"),
        ("--speed=infx", "--speed must be a factor"),
        ("--speed=fast", "--speed must be a factor"),
        ("--paint-url=", "--paint-url must not be empty"),
        ("--paint-url", "--paint-url needs a value"),
    ])
    func `names the wrong option and the remedy`(word: String, part: String) {
        let text = complaint("north", word)
        #expect(text?.contains(part) == true, "\(word): \(text ?? "accepted")")
    }

    @Test func `refuses missing and surplus words, and the same option twice`() {
        #expect(complaint()?.contains("WALL is missing") == true)
        #expect(
            complaint("a", "b") == "unexpected word 'b'; did you mean --colour red|blue?")
        #expect(
            complaint("a", "b", "--colour", "red") == "unexpected word 'b'; see --help")
        #expect(complaint("a", "--coats", "1", "--coats", "2")?.contains("twice") == true)
    }

    @Test func `names the environment variable that is wrong`() {
        let text = complaint("n", environment: ["ISLET_COATS": "9"])
        #expect(text?.contains("ISLET_COATS must be a whole number") == true)
    }

    @Test func `refuses options that contradict each other, and those that say nothing alone`() {
        #expect(
            complaint("n", "--gloss")
                == "--gloss says nothing without --colour; give both or neither")
        #expect(complaint("n", "--gloss", "--colour", "red") == nil)
        #expect(complaint("n", "--gloss", environment: ["ISLET_COLOUR": "red"]) == nil)
        #expect(
            complaint("n", "--gloss", "--matt", "--colour", "red")
                == "--matt and --gloss contradict each other; give one of them")
        // One environment may be that of several commands.
        #expect(complaint("n", environment: ["ISLET_GLOSS": "1"]) == nil)
        #expect(complaint("n", "--matt", environment: ["ISLET_GLOSS": "1"]) == nil)
    }

    @Test func `asks for nothing else when help is wanted`() throws {
        #expect(try parse("--help").asksForHelp)
    }
}
