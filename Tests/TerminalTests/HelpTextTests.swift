import Foundation
import Testing

@testable import Terminal

private let command = Command(
    path: ["wall", "paint"], summary: "Paint a wall.", discussion: "It dries by itself.",
    operands: [Command.Operand(name: "WALL", help: "which one")],
    options: [
        OptionSpec("coats", .integer(1...3), "How many.", default: "1"),
        OptionSpec(
            "colour", .choice(["red", "blue"]), "Which. One wall may have several.", repeats: true),
        OptionSpec(
            "paint-url", .text(placeholder: "URL"), "Where from.", foreignVariable: "PAINT"),
        OptionSpec("dry-run", .flag, "Do nothing."),
    ],
    exitCodes: ["3 it is still wet"], examples: ["islet wall paint north"]
) { _ async throws(CommandFailure) in }

private let other = Command(
    path: ["wall", "build"], summary: "Build a wall.", examples: ["islet wall build"]
) { _ async throws(CommandFailure) in }

struct `What a command says of itself` {
    @Test func `is one text for a person`() {
        #expect(
            Help.text(for: command) == """
                Paint a wall.

                Usage: islet wall paint WALL [options]

                It dries by itself.

                Operands:
                  WALL
                      which one

                Options:
                  --coats N
                      How many. [values: 1 to 3] [default: 1] [env: ISLET_COATS]
                  --colour red|blue
                      Which. One wall may have several. May be repeated. [env: ISLET_COLOUR]
                  --paint-url URL
                      Where from. [env: ISLET_PAINT_URL, PAINT]
                  --dry-run
                      Do nothing. [env: ISLET_DRY_RUN]
                  --help
                      Show this text.

                Examples:
                  islet wall paint north

                Exit codes: 0 done, 1 failed, 2 wrong usage, 3 it is still wet.

                """)
    }

    @Test func `is one line in the overview, below the others`() {
        let lines = Help.overview(of: [command, other]).split(separator: "\n")
        #expect(lines.contains("  wall paint  Paint a wall."))
        #expect(lines.contains("  wall build  Build a wall."))
        #expect(Help.usage(of: other) == "islet wall build")
    }

    @Test func `is a manual page`() {
        #expect(
            ManPage.text(of: [command], isWhole: false) == #"""
                .TH ISLET\-WALL\-PAINT 1 "" "islet \#(Version.current)"
                .SH NAME
                islet\-wall\-paint \- Paint a wall.
                .SH SYNOPSIS
                .B islet wall paint WALL [options]
                .br
                .SH DESCRIPTION
                Paint a wall.
                .PP
                It dries by itself.
                .SH OPERANDS
                .TP
                .I WALL
                which one
                .SH OPTIONS
                .TP
                \fB\-\-coats\fR \fIN\fR
                How many. [values: 1 to 3] [default: 1] [env: ISLET_COATS]
                .TP
                \fB\-\-colour\fR \fIred|blue\fR
                Which. One wall may have several. May be repeated. [env: ISLET_COLOUR]
                .TP
                \fB\-\-paint\-url\fR \fIURL\fR
                Where from. [env: ISLET_PAINT_URL, PAINT]
                .TP
                \fB\-\-dry\-run\fR
                Do nothing. [env: ISLET_DRY_RUN]
                .SH EXAMPLES
                .nf
                islet wall paint north
                .fi
                .SH EXIT STATUS
                .TP
                .B 0
                done
                .TP
                .B 1
                failed
                .TP
                .B 2
                wrong usage
                .TP
                .B 3
                it is still wet
                """#)
    }

    @Test func `is a section of its group's page, and no macro of roff wherever a line begins`() {
        var odd = other
        odd.summary = "'Quoted\\ é."
        odd.discussion = ".dot\nplain"
        let lines = ManPage.text(of: [command, odd], isWhole: false).split(separator: "\n")
        #expect(lines.first == ".TH ISLET\\-WALL 1 \"\" \"islet \(Version.current)\"")
        #expect(lines.contains(".SH islet wall build"))
        #expect(lines.contains("\\&'Quoted\\e \\[u00E9]."))
        #expect(lines.contains("\\&.dot"))
        #expect(lines.contains("plain"))
        #expect(!lines.contains(".SH ENVIRONMENT"))
        let whole = ManPage.text(of: [command, odd], isWhole: true).split(separator: "\n")
        #expect(whole.first == ".TH ISLET 1 \"\" \"islet \(Version.current)\"")
        #expect(whole.contains(".SH ENVIRONMENT"))
    }
}

struct `What a shell completes` {
    private let completions = Completions(of: [command, other])

    @Test func `is the next part of a name, with what it is about`() {
        let steps = completions.steps
        #expect(steps.map(\.words) == [[], ["wall"]])
        #expect(steps.map { $0.next.map(\.name) } == [["wall"], ["paint", "build"]])
        #expect(
            steps.map { $0.next.map(\.summary) } == [
                ["Commands about wall."], ["Paint a wall.", "Build a wall."],
            ])
    }

    @Test func `is written for fish`() {
        let script = completions.script(for: .fish)
        let rules = script.components(separatedBy: "complete -c islet -f\n").last ?? ""
        #expect(
            rules == """
                complete -c islet -n '__islet_is; and test (count (commandline -opc)) -eq 1' \
                -a wall -d 'Commands about wall.'
                complete -c islet -n '__islet_is wall; and test (count (commandline -opc)) -eq 2' \
                -a paint -d 'Paint a wall.'
                complete -c islet -n '__islet_is wall; and test (count (commandline -opc)) -eq 2' \
                -a build -d 'Build a wall.'
                complete -c islet -n '__islet_is wall paint' -l coats -x -d 'How many.'
                complete -c islet -n '__islet_is wall paint' -l colour -x -a 'red blue' -d 'Which.'
                complete -c islet -n '__islet_is wall paint' -l paint-url -x -d 'Where from.'
                complete -c islet -n '__islet_is wall paint' -l dry-run -d 'Do nothing.'
                complete -c islet -n '__islet_is wall paint' -F
                """)
    }

    @Test func `is written for zsh`() {
        let script = completions.script(for: .zsh)
        let cases = script.components(separatedBy: "in\n").last ?? ""
        #expect(
            cases == """
                        'wall paint'|'wall paint '*)
                            shift 2 words
                            (( CURRENT -= 2 ))
                            _arguments '--coats=[How many.]:N: ' \
                '*--colour=[Which.]:red|blue:(red blue)' '--paint-url=[Where from.]:URL: ' \
                '--dry-run[Do nothing.]' '--help[Show the help.]' ':WALL:_files'
                            ;;
                        'wall build'|'wall build '*)
                            shift 2 words
                            (( CURRENT -= 2 ))
                            _arguments '--help[Show the help.]'
                            ;;
                        '')
                            local -a commands=('wall:Commands about wall.')
                            _describe command commands
                            ;;
                        'wall')
                            local -a commands=('paint:Paint a wall.' 'build:Build a wall.')
                            _describe command commands
                            ;;
                    esac
                }
                compdef _islet islet
                """)
    }

    @Test(arguments: [
        ("One. Two.", "One."),
        ("It reads islet.conf first. Then more.", "It reads islet.conf first."),
        ("No stop", "No stop"), ("Two\nlines. Rest.", "Two\nlines."), ("", ""),
    ])
    func `has the first sentence of a help`(help: String, sentence: String) {
        #expect(help.firstSentence == sentence)
    }
}
