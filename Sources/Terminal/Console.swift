import EventLoop
import Foundation
import Glibc

/// Data goes to standard output, everything else to standard error.
public enum Console {
    /// Nobody reads standard output any more, as when `head` has seen enough. What is printed from
    /// then on goes nowhere, so that a command still puts away what it has opened.
    public static var isClosed: Bool { closed.withLock { $0 } }

    private static let closed = Lock(false)

    public static func print(_ text: String) { write(text + "\n") }

    /// Without a line break.
    public static func write(_ text: String) {
        guard !isClosed else { return }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(1, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count >= 0 else { return closed.withLock { $0 = true } }
            rest = rest.dropFirst(count)
        }
    }

    public static func note(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }

    /// Prints the document for `--json`, else the text.
    public static func answer(
        _ arguments: Arguments, _ document: some Encodable, _ text: @autoclosure () -> String
    ) {
        print(arguments.flag(OptionSpec.json.name) ? json(document) : text())
    }

    /// With `--json` prints the document; else says on standard error that it is done.
    public static func done(
        _ arguments: Arguments, _ document: some Encodable, _ sentence: @autoclosure () -> String
    ) {
        if arguments.flag(OptionSpec.json.name) {
            print(json(document))
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
