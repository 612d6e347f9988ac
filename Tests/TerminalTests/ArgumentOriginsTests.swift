import Foundation
import Testing

@testable import Terminal

private let command = Command(
    path: ["serve"], summary: "Serve.",
    operands: [Command.Operand(name: "WHAT", help: "what is served")],
    options: [
        OptionSpec("port", .integer(0...65535), "Port.", default: "8080"),
        OptionSpec("proxy", .text(placeholder: "CIDR"), "Proxy.", default: "none", repeats: true),
        OptionSpec("to", .text(placeholder: "URL"), "Where to."), ConfigFile.option,
    ], examples: []
) { _ async throws(CommandFailure) in }

private func parse(
    _ words: String..., environment: [String: String] = [:]
) throws -> Arguments {
    try Arguments(words, for: command, environment: environment)
}

struct `An argument` {
    @Test func `is no option behind two dashes, nor if it is one dash`() throws {
        let arguments = try parse("--port", "1", "--", "--port")
        #expect(arguments.operand("WHAT") == "--port")
        #expect(arguments.integer("port") == 1)
        #expect(try parse("-").operand("WHAT") == "-")
        #expect(throws: CommandFailure.usage("unexpected word '--port'; see --help")) {
            try parse("a", "--", "--port")
        }
    }

    @Test func `that may hold a password is not repeated`() {
        #expect(throws: CommandFailure.usage("unexpected word of a URL; see --help")) {
            try parse("a", "postgresql://me:secret@h/d")
        }
    }

    @Test func `that is needed is named with its variable`() throws {
        let missing = CommandFailure.usage("--to is missing; give it or set ISLET_TO")
        #expect(throws: missing) { try parse("a").required("to") }
        #expect(try parse("a", environment: ["ISLET_TO": "b"]).required("to") == "b")
    }

    @Test func `says where it comes from`() throws {
        let arguments = try parse(
            "a", "--to", "b", environment: ["ISLET_PORT": "1", "ISLET_TO": "c"])
        #expect(arguments.origin("to") == .flag)
        #expect(arguments.isTyped("to") && !arguments.isTyped("port"))
        #expect(arguments.origin("port") == .variable("ISLET_PORT"))
        #expect(arguments.origin("proxy") == .standard)
        #expect(arguments.texts("proxy") == ["none"])
        #expect(arguments.written("port").name == "--port")
    }

    @Test func `is no service of Kubernetes that has the same name`() throws {
        let link = ["ISLET_PORT": "tcp://10.0.0.1:8080"]
        #expect(try parse("a", environment: link).integer("port") == 8080)
    }

    @Test func `is read again from its file, and flags stay`() throws {
        let path = NSTemporaryDirectory() + "islet-again-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        func write(_ text: String) throws {
            try text.write(toFile: path, atomically: true, encoding: .utf8)
        }
        try write("port = 1\nproxy = a\nproxy = b")
        let before = try parse("a", "--to", "x", "--config", path)
        #expect(before.integer("port") == 1)
        #expect(before.origin("proxy") == .file(line: 2))
        let place = before.written("port")
        #expect(place.name == "\(path):1: port" && place.isInFile)
        try write("# now without a port\nto = y\nproxy = a")
        let after = try before.again()
        #expect(after.integer("port") == 8080)
        #expect(after.texts("proxy") == ["a"])
        #expect(after.text("to") == "x")
        #expect(after.settingsThatDiffer(from: before) == ["port", "proxy"])
        try write("port = x")
        #expect(
            throws: CommandFailure.usage(
                "\(path):1: port must be a whole number from 0 to 65535")
        ) { try before.again() }
    }
}

struct `The origin of a setting` {
    private let origins: [SettingOrigin] = [
        .standard, .file(line: 3), .variable("ISLET_PORT"), .flag,
    ]

    @Test func `beats those before it, and is said in words`() {
        #expect(origins.shuffled().sorted() == origins)
        #expect(origins.map(\.text) == ["default", "file, line 3", "ISLET_PORT", "flag"])
        // Of two lines neither beats the other.
        #expect(!(SettingOrigin.file(line: 1) < .file(line: 2)))
    }
}

struct `The value of an option` {
    private func spec(_ value: OptionSpec.Value) -> OptionSpec { OptionSpec("data-dir", value, "") }

    @Test func `has a placeholder, and what may be given where that is short`() {
        let values: [OptionSpec.Value] = [
            .flag, .text(placeholder: "DIR"), .integer(1...3), .place(number: "VERSION"),
            .choice(["a", "b"]), .speed,
        ]
        #expect(
            values.map { spec($0).placeholder } == [
                nil, "DIR", "N", "VERSION|TIME", "a|b", "FACTOR",
            ])
        #expect(
            values.map { spec($0).values } == [
                "1, true, 0, false", nil, "1 to 3", nil, "a, b", nil,
            ])
        #expect(spec(.flag).variables == ["ISLET_DATA_DIR"])
    }

    @Test(arguments: ["1", "true", "0", "false"])
    func `of a flag is one of four words`(text: String) throws {
        #expect(spec(.flag).complaint(about: text) == nil)
        let flag = Command(
            path: ["try"], summary: "", options: [OptionSpec("quiet", .flag, "")], examples: []
        ) { _ async throws(CommandFailure) in }
        let arguments = try Arguments(["--quiet=\(text)"], for: flag, environment: [:])
        #expect(arguments.flag("quiet") == ["1", "true"].contains(text))
    }

    @Test(
        arguments: [
            (.flag, "yes", "must be 1, true, 0 or false"),
            (.text(placeholder: "DIR"), "", "must not be empty"),
            (.integer(1...3), "0", "must be a whole number from 1 to 3"),
            (.integer(1...3), "1.5", "must be a whole number from 1 to 3"),
            (.integer(1...3), " 1", "must be a whole number from 1 to 3"),
            (.choice(["a", "b"]), "A", "must be one of a, b"),
        ] as [(OptionSpec.Value, String, String)])
    func `that cannot be is answered with what can`(
        value: OptionSpec.Value, text: String, complaint: String
    ) {
        #expect(spec(value).complaint(about: text) == complaint)
    }

    @Test(
        arguments: [
            ("60x", 60), ("0.5", 0.5), ("0.001x", 0.001), ("1000000", 1_000_000), ("1000001", nil),
            ("0.0009x", nil), ("x", nil), ("60xx", nil), ("", nil),
        ] as [(String, Double?)])
    func `of a pace is a factor that somebody can mean`(text: String, factor: Double?) {
        #expect(OptionSpec.speed(text) == factor)
    }
}
