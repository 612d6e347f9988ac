/// Whom a test's admission lets in.
final class NamedCaller: Sendable {
    let name: String

    init(_ name: String) {
        self.name = name
    }
}
