import Domain
import Testing

struct `A number in decimal digits` {
    @Test(arguments: [("60", 60), ("0.5", 0.5), ("-2", -2), ("1e3", 1_000)] as [(String, Double)])
    func `is taken`(text: String, number: Double) {
        #expect(Double(decimal: text) == number)
    }

    @Test(arguments: ["", "0x10", "0x1p4", "nan", "inf", "infinity", "1,5", " 1", "1_000"])
    func `is nothing else`(text: String) {
        #expect(Double(decimal: text) == nil)
    }
}
