import Testing

@testable import Terminal

struct `Colours` {
    private func isOn(
        _ choice: String?, isTerminal: Bool = true, _ environment: [String: String] = [:]
    ) -> Bool {
        Paint(choice, isTerminal: isTerminal, environment: environment).isOn
    }

    @Test func `are for terminals that do not forbid them`() {
        #expect(isOn("auto"))
        #expect(isOn(nil))
        #expect(!isOn("auto", isTerminal: false))
        #expect(!isOn("auto", ["NO_COLOR": "1"]))
        #expect(isOn("auto", ["NO_COLOR": ""]), "an empty variable says nothing")
        #expect(!isOn("auto", ["TERM": "dumb"]))
    }

    @Test func `are as the option says, whatever there is`() {
        #expect(isOn("always", isTerminal: false, ["NO_COLOR": "1", "TERM": "dumb"]))
        #expect(!isOn("never"))
    }

    @Test func `end where their text ends, and need a text`() {
        let painted = Paint("always", isTerminal: false, environment: [:])
        #expect(painted(.red, "no") == "\u{1B}[31mno\u{1B}[0m")
        #expect(painted(.red, "") == "")
        #expect(Paint("never", isTerminal: true, environment: [:])(.red, "no") == "no")
    }
}

struct `What somebody else has written` {
    @Test func `is shown in one line, as long as a person reads`() {
        #expect("yesterday".shown() == "yesterday")
        #expect("\u{1B}[2Jno\r\n\u{2028}\u{9B}more".shown() == " [2Jno    more")
        let full = String(repeating: "é", count: 80)
        #expect(full.shown() == full)
        #expect((full + "é").shown() == full.dropLast() + "…")
        #expect("abc".shown(2) == "a…")
    }

    @Test func `tells a terminal nothing, wherever it stands, but keeps lines and colours`() {
        let painted = Paint("always", isTerminal: false, environment: [:])
        let ours = "name\tkeys\n" + painted(.red, "no") + painted(.dim, " – é🍕")
        #expect(ours.forTerminal == ours)
        for hostile in ["\u{1B}]0;x\u{7}", "\u{1B}[2J", "\u{9B}2J", "\u{1B}[8m", "\r", "\u{7F}"] {
            let shown = (ours + hostile + ours).forTerminal
            #expect(shown.hasPrefix(ours + " ") && shown.hasSuffix(ours))
            let middle = shown.dropFirst(ours.count).dropLast(ours.count)
            let hasControls = middle.unicodeScalars.contains { $0.isControlOrLineEnd }
            #expect(!hasControls, "\(middle)")
        }
    }

    @Test func `costs little more to look through in colours than without`() {
        func quickest(_ line: String) -> Duration? {
            let text = String(repeating: line + "\n", count: 5_000)
            return (1...3).map { _ in
                ContinuousClock().measure { #expect(text.forTerminal == text) }
            }.min()
        }
        let painted = Paint("always", isTerminal: false, environment: [:])
        let words = "a line of a timeline – as it is printed"
        guard let plain = quickest("v12" + words),
            let coloured = quickest(painted(.bold, "v12") + words)
        else { return }
        // Twice as much; a scalar at a time it was forty times.
        #expect(coloured < plain * 15)
    }

    @Test func `is short, too, when one letter is long`() {
        let letter = "e" + String(repeating: "\u{301}", count: 100_000)
        #expect(letter.count == 1)
        #expect(letter.shown().utf8.count < 2_000)
    }
}

struct `A table` {
    @Test func `has columns as wide as their widest cell, and no blanks at the end`() {
        #expect(
            Table.text(["name", "keys"], [["pizzeria", "2"], ["ä", ""]]) == """
                name      keys
                pizzeria  2
                ä
                """)
    }

    @Test func `has a line for each row, whatever is in a cell`() {
        #expect(
            Table.text(["name", "keys"], [["a\n\u{1B}[2Jb", "2"]]) == """
                name     keys
                a  [2Jb  2
                """)
    }

    @Test func `without rows is its headings`() {
        #expect(Table.text(["name", "keys"], []) == "name  keys")
    }
}

struct `How a command ends` {
    private func code(_ failure: CommandFailure?) async -> Int32 {
        let command = Command(path: ["try"], summary: "Try.", examples: []) {
            _ async throws(CommandFailure) in
            if let failure { throw failure }
        }
        return await CommandSet([command]).run(["try"], environment: [:])
    }

    @Test func `is in its exit code for shells`() async {
        #expect(await code(nil) == 0)
        #expect(await code(.failed("no")) == 1)
        #expect(await code(.reported) == 1)
        #expect(await code(.usage("no")) == 2)
        #expect(await code(.notSeen) == 2)
        #expect(await code(.found) == 3)
        #expect(await code(.interrupted("stopped")) == 130)
    }

    @Test func `stands in its help, with its own meaning instead of the usual one`() {
        let command = Command(
            path: ["look"], summary: "Look.",
            operands: [
                .init(name: "ID", help: "which"), .init(name: "FILE", help: "of what"),
            ],
            exitCodes: ["1 something needs repair", "3 found"], examples: [], run: { _ in })
        let other = Command(
            path: ["wait"], summary: "Wait.", exitCodes: ["130 interrupted"], examples: [],
            run: { _ in })
        #expect(Help.text(for: other).contains("1 failed"))
        let text = Help.text(for: command)
        #expect(text.contains("Usage: islet look ID FILE\n"))
        #expect(text.contains("1 something needs repair") && !text.contains("1 failed"))
        #expect(text.contains("0 done") && text.contains("2 wrong usage"))
        #expect(text.contains("3 found"))
    }
}

struct `A place in a log` {
    private let spec = OptionSpec("until", .place(number: "POSITION"), "Where.")

    @Test(arguments: ["1", "9007199254740991", "2026-05-01T12:00:00Z", "2026-05-01T12:00:00+02:00"])
    func `is a number from 1, or a time with a zone`(text: String) {
        #expect(spec.complaint(about: text) == nil)
    }

    @Test(arguments: ["0", "-1", "9007199254740992", "2026-05-01T12:00:00", "2026-05-01", "now"])
    func `is refused otherwise with an example`(text: String) {
        let complaint = spec.complaint(about: text) ?? ""
        #expect(complaint.contains("position from 1"))
        #expect(complaint.contains("2026-05-01T12:00:00Z"))
    }
}
