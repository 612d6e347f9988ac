/// Bounds of the module, each with its reason.
enum Limits {
    /// Members of an object whose names are compared one by one: far more than any event has, and
    /// few enough that nobody can keep a reader busy with them.
    static let plainMembersMax = 64
    /// A number with an exponent: a 64-bit float needs 24 characters, a decimal of finance 38.
    static let exponentNumberBytesMax = 64
    /// Without one, and with one when it is written out, as Postgres does: that makes 391
    /// characters of the longest number above. What the log gives back must be fit to be sent
    /// again.
    static let numberBytesMax = 400
}
