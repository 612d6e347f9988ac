/// What a member of an event's `data` holds, as far as the shape of a field asks.
public enum FieldValue: Hashable, Sendable {
    case text(String)
    /// A number without a fraction, however it is written: `2`, `2.0` and `2e0` are the same.
    case integer(Int)
    case flag(Bool)
    /// Fits no shape: another number, an array, an object.
    case other

    /// A number as JSON writes it.
    public init(number literal: String) {
        if let integer = Int(literal) ?? Double(literal).flatMap(Int.init(exactly:)) {
            self = .integer(integer)
        } else {
            self = .other
        }
    }
}
