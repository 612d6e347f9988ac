import Foundation
import Hosting
import ProjectFiles
import Terminal
import Testing

@testable import islet

struct `The help` {
    @Test(arguments: Islet.commandSet.commands.map(\.name))
    func `of every command names its options, their variables and an example`(name: String) throws {
        let command = try #require(Islet.commandSet.commands.first { $0.name == name })
        let text = Help.text(for: command)
        for option in command.options {
            #expect(text.contains("--\(option.name)"))
            #expect(text.contains(option.variable))
            #expect(option.help.hasSuffix("."), "--\(option.name)")
        }
        #expect(!command.examples.isEmpty)
        for example in command.examples { #expect(example.contains("islet \(name)")) }
        #expect(text.contains("Exit codes"))
    }

    @Test(arguments: Islet.commandSet.commands)
    func `names no other option that the command does not have`(command: Command) {
        let names = Set(command.options.map(\.name))
        #expect(names.isSuperset(of: command.options.compactMap(\.needs)), "\(command.name)")
        #expect(names.isSuperset(of: command.options.compactMap(\.excludes)), "\(command.name)")
    }

    @Test func `lists every command in the overview`() {
        let text = Help.overview(of: Islet.commandSet.commands)
        for command in Islet.commandSet.commands { #expect(text.contains("  \(command.name) ")) }
    }

    /// Those that run until they are stopped, talk with a person, write a page, or say nothing when
    /// all is well.
    @Test func `offers JSON wherever a command says something`() {
        let silent: Set = [
            "serve", "demo", "simulate", "wait", "replay step", "replay trace", "completions",
            "config table",
        ]
        let without = Islet.commandSet.commands
            .filter { !$0.options.map(\.name).contains("json") }
        #expect(Set(without.map(\.name)) == silent)
    }

    @Test func `is what the reference page shows`() throws {
        let text = try ProjectFiles.text("docs/reference/command-line.md")
        for command in Islet.commandSet.commands {
            #expect(
                text.contains(Help.text(for: command)),
                "run `make docs`: docs/reference/command-line.md differs for \(command.name)")
        }
    }
}

struct `The page about settings` {
    @Test func `is what the program prints`() throws {
        let text = try ProjectFiles.text("docs/reference/configuration.md")
        #expect(text == ServerSettings.page, "run `make docs`")
    }
}

struct `The version` {
    @Test func `is that of the newest section of the change log`() throws {
        let heading = try ProjectFiles.text("CHANGELOG.md").split(separator: "\n")
            .first { $0.hasPrefix("## ") }
        #expect(heading?.hasPrefix("## \(Version.current) (") == true, "\(heading ?? "")")
    }

    @Test func `is that of the document of the API`() throws {
        struct Document: Decodable {
            struct Info: Decodable { var version: String }
            var info: Info
        }
        let document = try JSONDecoder().decode(
            Document.self, from: Data(ProjectFiles.text("Sources/API/Assets/openapi.json").utf8))
        #expect(document.info.version == Version.current)
    }
}

struct `Running a command line` {
    @Test func `that is wrong ends with code 2`() async {
        for words in [["frobnicate"], ["keys"], ["serve", "--port", "x"], ["replay", "show"], []] {
            #expect(await Islet.commandSet.run(words, environment: [:]) == 2, "\(words)")
        }
    }

    @Test func `that asks for help ends with code 0`() async {
        for words in [["--help"], ["serve", "--help"], ["keys", "--help"], ["--version"]] {
            #expect(await Islet.commandSet.run(words, environment: [:]) == 0, "\(words)")
        }
    }
}
