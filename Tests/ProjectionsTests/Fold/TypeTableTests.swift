import Testing

@testable import Projections

struct TypeTableTests {
    private func place(of type: String, in table: TypeTable<Int>) -> Int? {
        var type = type
        return type.withUTF8 { table.place(of: UnsafeRawBufferPointer($0)) }
    }

    /// Some end alike, and some are shorter than what is looked at first.
    private static let types =
        ["", "A", "B", "Match.Late", "Pizza.Late", "Pizza.Later", "XPizza.Later"]
        + (0..<60).map { "Kind\($0).SomethingHappened" }

    @Test func `finds each type's own value`() {
        let table = TypeTable(Self.types.enumerated().map { (type: $1, value: $0) })
        for (value, type) in Self.types.enumerated() {
            #expect(place(of: type, in: table).map { table[$0] } == value, "\(type)")
        }
    }

    @Test(arguments: ["C", "Match.late", "Late", "ZPizza.Later", "Kind60.SomethingHappened"])
    func `finds nothing for another type`(type: String) {
        let table = TypeTable(Self.types.enumerated().map { (type: $1, value: $0) })
        #expect(place(of: type, in: table) == nil)
    }
}
