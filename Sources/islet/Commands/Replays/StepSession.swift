import Domain
import Glibc
import Replay
import Terminal

/// A walk through a timeline at a terminal: takes keys, and draws the screen again after each.
actor StepSession {
    /// What the bottom line asks for.
    enum Question: String {
        case place = "version or time"
        case field
    }

    private var walk: TimelineWalk
    private let paint: Paint
    private var question: Question?
    private var typed = ""
    /// Shown once, in the bottom line.
    private var remark: String?
    private var isOver = false
    private var wasInterrupted = false

    init(_ walk: TimelineWalk, _ paint: Paint) {
        self.walk = walk
        self.paint = paint
    }

    /// Until the user ends it; the terminal is then as it was.
    /// - Returns: whether it was ended by Ctrl-C.
    func run() async -> Bool {
        guard let terminal = RawTerminal() else { return false }
        defer { withExtendedLifetime(terminal) {} }
        draw(terminal)
        for await input in terminal.inputs() {
            take(input)
            if isOver || Console.isClosed { break }
            draw(terminal)
        }
        return wasInterrupted
    }

    private func draw(_ terminal: RawTerminal) {
        let prompt = question.map { "\($0.rawValue): \(typed)" }
        let screen = StepScreen(
            walk: walk, size: terminal.size, paint: paint, prompt: prompt, remark: remark)
        Console.write(screen.text)
        remark = nil
    }

    private func take(_ input: RawTerminal.Input) {
        guard question == nil else { return answer(input) }
        switch input {
        case .text("n"), .right, .down, .text(" "):
            stay(unless: walk.next(), "This is the last event.")
        case .text("b"), .left, .up: stay(unless: walk.back(), "This is the first event.")
        case .text("a"): stay(unless: walk.runToAlert(), "No later event alerts anybody.")
        case .text("g"): ask(.place)
        case .text("f"): ask(.field)
        case .text("q"), .endOfInput: isOver = true
        case .interrupt: interrupt()
        case .text, .enter, .erase, .escape, .resized: break
        }
    }

    /// In a raw terminal Ctrl-C is a key like any other.
    private func interrupt() { (isOver, wasInterrupted) = (true, true) }

    private func stay(unless hasMoved: Bool, _ words: String) {
        if !hasMoved { remark = words }
    }

    private func ask(_ question: Question) {
        self.question = question
        typed = ""
    }

    private func answer(_ input: RawTerminal.Input) {
        switch input {
        case .text(let text): typed += text
        case .erase: typed = String(typed.dropLast())
        case .escape: question = nil
        case .endOfInput: isOver = true
        case .interrupt: interrupt()
        case .enter:
            if let question, !typed.isEmpty { go(question) }
            question = nil
        case .left, .right, .up, .down, .resized: break
        }
    }

    private func go(_ question: Question) {
        switch question {
        case .field:
            let known = walk.members
            guard known.contains(where: { $0 == typed || $0.hasPrefix(typed + ".") }) else {
                remark = "No event changes \(typed); there is \(known.joined(separator: ", "))"
                return
            }
            stay(unless: walk.run(untilChanged: typed), "No later event changes \(typed).")
        case .place:
            guard let place = OptionSpec.place(typed) else {
                remark = "Give a version, or a time such as 2026-05-01T12:00:00Z."
                return
            }
            do throws(ReplayError) { try walk.jump(to: place) } catch {
                remark = error.description
            }
        }
    }
}
