/// SQL with `$1`, `$2` … and what stands for them. Values are never put into the text.
public struct Statement: Sendable {
    /// One statement; it is prepared once per connection, so the text must not vary with data.
    public var sql: String
    public var parameters: [Parameter]
    /// Prepared by itself where others have the same text, so that it has a plan of its own.
    public var isPreparedApart = false

    public init(_ sql: String, _ parameters: [Parameter] = []) {
        precondition(parameters.count <= Limits.parametersMax, "too many parameters: \(sql)")
        self.sql = sql
        self.parameters = parameters
    }
}
