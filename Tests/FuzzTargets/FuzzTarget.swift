/// A parser that libFuzzer tries, and that the suite gives every input that is kept.
///
/// Whatever bytes it is given, a parser answers. It never traps, and what it has read means the
/// same when it is written and read again.
public struct FuzzTarget: Sendable {
    /// As `Tests/FuzzParsers/run` and the folders of the corpus name it.
    public let name: String
    /// Ends the process where a law is broken: libFuzzer keeps the input then.
    public let tryOne: @Sendable ([UInt8]) -> Void

    /// All there are.
    public static let all = [
        FuzzTarget(name: "request", tryOne: HTTPTargets.request),
        FuzzTarget(name: "json", tryOne: JSONTargets.json),
        FuzzTarget(name: "cloudevents", tryOne: JSONTargets.cloudEvents),
        FuzzTarget(name: "policies", tryOne: JSONTargets.policies),
        FuzzTarget(name: "cursors", tryOne: CursorTargets.cursors),
        FuzzTarget(name: "archive", tryOne: ArchiveTargets.archive),
    ]
}

/// The same, whichever it was that is broken.
func require(_ isTrue: Bool, _ what: @autoclosure () -> String) {
    if !isTrue { fatalError(what()) }
}
