import Testing

@testable import Postgres

struct WaitingLineTests {
    @Test func `owners take turns, and each owner's wait in their order`() {
        var line = WaitingLine<String>()
        for name in ["a1", "a2", "a3"] { line.append(name, of: 1) }
        line.append("b1", of: 2)
        line.append("all", of: nil)
        var taken: [String] = []
        while let owner = line.nextOwner(where: { _ in true }) {
            taken.append(line.takeNext(of: owner) ?? "")
        }
        #expect(taken == ["a1", "b1", "all", "a2", "a3"])
        #expect(line.count == 0)
    }

    @Test func `an owner who may have nothing more stands back`() {
        var line = WaitingLine<String>()
        line.append("a1", of: 1)
        line.append("b1", of: 2)
        #expect(line.nextOwner { $0 != 1 } == .some(2))
        #expect(line.nextOwner { _ in false } == nil)
        #expect(line.remove(of: 1) { $0 == "a1" } == "a1")
        #expect(line.remove(of: 1) { $0 == "a1" } == nil)
        #expect(line.takeAll() == ["b1"])
        #expect(line.count == 0)
    }
}
