import Testing

@testable import Postgres

struct WaitingLineTests {
    @Test func `owners take turns, and each owner's wait in their order`() {
        var line = WaitingLine<String>()
        for id in UInt64(1)...3 { line.append("a\(id)", id: id, of: 1) }
        line.append("b1", id: 4, of: 2)
        line.append("all", id: 5, of: nil)
        var taken: [String] = []
        while let owner = line.nextOwner(where: { _ in true }) {
            taken.append(line.takeNext(of: owner) ?? "")
        }
        #expect(taken == ["a1", "b1", "all", "a2", "a3"])
        #expect(line.count == 0)
    }

    @Test func `an owner who may have nothing more stands back`() {
        var line = WaitingLine<String>()
        line.append("a1", id: 1, of: 1)
        line.append("b1", id: 2, of: 2)
        #expect(line.nextOwner { $0 != 1 } == .some(2))
        #expect(line.nextOwner { _ in false } == nil)
        #expect(line.remove(1, of: 1) == "a1")
        #expect(line.remove(1, of: 1) == nil)
        #expect(line.takeAll() == ["b1"])
        #expect(line.count == 0)
    }

    @Test func `those who give up lose their places, and the others keep theirs`() {
        var line = WaitingLine<UInt64>()
        for id in UInt64(1)...100 { line.append(id, id: id, of: 1) }
        for id in UInt64(1)...100 where id % 10 != 0 {
            #expect(line.remove(id, of: 1) == id)
        }
        #expect(line.count == 10)
        #expect(line.count(of: 1) == 10)
        #expect(line.takeNext(of: 1) == 10)
        #expect(line.takeAll() == (2...10).map { $0 * 10 })
    }

    @Test func `that thousands give up takes no time`() {
        var line = WaitingLine<UInt64>()
        let ids = UInt64(1)...20_000
        for id in ids { line.append(id, id: id, of: nil) }
        let took = ContinuousClock().measure {
            for id in ids.reversed() { _ = line.remove(id, of: nil) }
        }
        #expect(line.count == 0)
        #expect(line.nextOwner { _ in true } == nil)
        #expect(took < .seconds(1))
    }
}
