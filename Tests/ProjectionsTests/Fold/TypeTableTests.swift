import Testing

@testable import Projections

struct TypeTableTests {
    private func value(of type: String, in table: TypeTable<Int>) -> Int? {
        var type = type
        return type.withUTF8 { table[UnsafeRawBufferPointer($0)] }
    }

    /// Some end alike, and some are shorter than what is looked at first.
    private static let types =
        ["", "A", "B", "Match.Late", "Pizza.Late", "Pizza.Later", "XPizza.Later"]
        + (0..<60).map { "Kind\($0).SomethingHappened" }

    @Test func `finds each type's own value`() {
        let table = TypeTable(Self.types.enumerated().map { (type: $1, value: $0) })
        for (value, type) in Self.types.enumerated() {
            #expect(self.value(of: type, in: table) == value, "\(type)")
        }
    }

    @Test(arguments: ["C", "Match.late", "Late", "ZPizza.Later", "Kind60.SomethingHappened"])
    func `finds nothing for another type`(type: String) {
        let table = TypeTable(Self.types.enumerated().map { (type: $1, value: $0) })
        #expect(value(of: type, in: table) == nil)
    }
}
