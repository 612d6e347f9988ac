import Domain
import EventStore
import TestSupport
import Testing

struct `A directory of a log` {
    private func directory(_ activities: [(String, Int64)]) -> LogDirectory {
        LogDirectory(
            activities.enumerated().map { index, event in
                Made.event(Int64(index + 1), event.0, version: event.1)
            })
    }

    @Test func `has each activity once, in the order in which they begin`() {
        let directory = directory([("b", 4), ("a", 1), ("b", 5), ("b", 6), ("a", 2)])
        #expect(directory.activities.map(\.rawValue) == ["b", "a"])
        #expect(directory.versions == [4...6, 1...2])
        #expect(directory.owners == [0, 1, 0, 0, 1])
        #expect(directory.places.map(\.position) == [1, 2, 3, 4, 5])
        #expect(directory.places.map(\.version) == [4, 1, 5, 6, 2])
        #expect(directory.places.last?.recordedAt == Made.moment(1_005))
    }

    @Test func `of nothing has nothing`() {
        let directory = LogDirectory([])
        #expect(directory.activities.isEmpty && directory.owners.isEmpty)
        #expect(directory.areIn((index: 0, count: 4)) == [])
    }

    /// As an import of a damaged log has them.
    @Test func `has the lowest and the highest version in whatever order they come`() {
        let directory = directory([("a", 5), ("a", 2), ("a", 9), ("a", 3)])
        #expect(directory.versions == [2...9])
    }

    @Test func `takes names that look alike for two`() {
        let directory = directory([("caf\u{E9}", 1), ("cafe\u{301}", 1), ("caf\u{E9}", 2)])
        #expect(directory.owners == [0, 1, 0])
    }

    @Test(arguments: 0..<30)
    func `knows the owner of every event`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let count = Int.random(in: 1...400, using: &generator)
        let names = (0..<count).map { _ in
            "order-\(Int.random(in: 0..<150, using: &generator))"
        }
        let directory = directory(names.enumerated().map { ($1, Int64($0 + 1)) })
        let owners = directory.owners.map { directory.activities[Int($0)].rawValue }
        #expect(owners == names)
        #expect(Set(directory.activities).count == directory.activities.count)
        for (activity, versions) in zip(directory.activities, directory.versions) {
            let own = names.indices.filter { names[$0] == activity.rawValue }
            #expect(versions.lowerBound == Int64((own.first ?? -2) + 1))
            #expect(versions.upperBound == Int64((own.last ?? -2) + 1))
        }
    }

    @Test(arguments: [1, 2, 3, 4, 8])
    func `puts each activity into one share, always the same one`(count: Int) {
        let names = (0..<400).map { ("order-\(1_000 + $0)", Int64(1)) }
        let all = directory(names)
        let shares = (0..<count).map { all.areIn((index: $0, count: count)) }
        for place in all.activities.indices {
            let among = shares.count { $0[place] }
            #expect(among == 1)
        }
        let backwards = directory(names.reversed())
        let first = backwards.areIn((index: 0, count: count))
        #expect(Array(first.reversed()) == shares[0])
    }

    /// Orders that are numbered in a row differ in their last characters alone.
    @Test(arguments: 0..<4)
    func `spreads a hundred orders in a row over its shares`(hundred: Int) {
        let directory = directory(
            (0..<100).map { ("order-\(1_000 + hundred * 100 + $0)", Int64(1)) })
        for index in 0..<4 {
            let size = directory.areIn((index: index, count: 4)).count { $0 }
            #expect((15...35).contains(size), "\(size)")
        }
    }
}
