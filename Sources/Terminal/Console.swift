import EventLoop
import Foundation
import Glibc

/// Data goes to standard output, everything else to standard error.
public enum Console {
    /// Standard output takes nothing any more: nobody reads it, as when `head` has seen enough, or
    /// its disk is full. What is printed from then on goes nowhere, so that a command still puts
    /// away what it has opened.
    public static var isClosed: Bool { failure.withLock { $0 } != nil }

    /// The exit code of a command that did all it was to do: 0 only if what it printed got there.
    static var exitCode: Int32 { exitCode(after: failure.withLock { $0 }) }

    /// - Parameter code: the system's, for what went wrong when something was printed.
    static func exitCode(after code: Int32?) -> Int32 {
        switch code {
        case nil: 0
        // As a shell gives for a program that a closed pipe has ended.
        case EPIPE: 141
        default: 1
        }
    }

    /// Why standard output took nothing any more, as the system has it.
    private static let failure = Lock<Int32?>(nil)

    /// For people: what would tell a terminal what to do is left out.
    public static func print(_ text: String) { write(text.forTerminal + "\n") }

    /// For programs, which get what the values have, to the last byte.
    public static func printDocument(_ document: some Encodable) { write(json(document) + "\n") }

    /// As it is, without a line break.
    public static func write(_ text: String) {
        guard !isClosed, let code = standardOutput.write(text) else { return }
        failure.withLock { $0 = code }
        if code != EPIPE {
            note("islet: cannot write to standard output: \(SystemError.text(code))")
        }
    }

    private static let standardOutput = WrittenDescriptor(1)

    /// Goes nowhere where standard error takes nothing: the exit code still says how it went.
    public static func note(_ text: String) {
        ProgressBar.erase()
        WrittenDescriptor.standardError.write(text.forTerminal + "\n")
    }

    /// Keeps the numbers 0, 1 and 2 from the first files and sockets that are opened, where the
    /// program was started without such a descriptor. To be called before anything is opened.
    public static func keepStandardDescriptors() {
        // Only for reading, so that writing there fails as it did.
        var number = open("/dev/null", O_RDONLY)
        while (0...2).contains(number) { number = open("/dev/null", O_RDONLY) }
        if number > 2 { close(number) }
    }

    /// Asks on standard error; only a plain yes is one.
    public static func isConfirmed(_ question: String) -> Bool {
        note("\(question) [y/N]")
        return ["y", "yes"].contains(readLine()?.lowercased() ?? "")
    }

    /// Prints the document for `--json`, else the text.
    public static func answer(
        _ arguments: Arguments, _ document: some Encodable, _ text: @autoclosure () -> String
    ) {
        if arguments.flag(OptionSpec.json.name) { printDocument(document) } else { print(text()) }
    }

    /// As `answer`, for a secret that is shown once.
    /// - Parameter remedy: what to do about it, as a sentence, when nobody has seen it.
    public static func answerOnce(
        _ arguments: Arguments, _ document: some Encodable, _ secret: String,
        orElse remedy: @autoclosure () -> String
    ) {
        answer(arguments, document, secret)
        if isClosed { note(remedy()) }
    }

    /// With `--json` prints the document; else says on standard error that it is done.
    public static func done(
        _ arguments: Arguments, _ document: some Encodable, _ sentence: @autoclosure () -> String
    ) {
        if arguments.flag(OptionSpec.json.name) {
            printDocument(document)
        } else {
            note(sentence())
        }
    }

    /// - Returns: the value as one JSON document with sorted keys.
    public static func json(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let data = (try? encoder.encode(value)) ?? Data("null".utf8)
        return String(decoding: data, as: UTF8.self)
    }
}
