import PushDispatch
import TestSupport
import Testing

struct `The timestamp allocator` {
    /// A clock that mostly goes on, sometimes stands and sometimes is set back.
    private static func seconds(_ seed: UInt64) -> [Int64] {
        var random = SeededGenerator(seed: seed)
        var now: Int64 = 1_800_000_000
        return (0..<500).map { _ in
            now +=
                Int64.random(in: 0..<20, using: &random) == 0
                ? -5
                : .random(
                    in: 0...2, using: &random)
            return now
        }
    }

    @Test(arguments: UInt64(0)..<20)
    func `gives strictly increasing seconds that are never ahead of the clock`(seed: UInt64) {
        var given: [Int64] = []
        for now in Self.seconds(seed) {
            switch TimestampAllocator.next(last: given.last, now: now) {
            case .use(let timestamp):
                #expect(timestamp == max(now, (given.last ?? 0) + 1))
                #expect(timestamp <= now)
                given.append(timestamp)
            case .wait(let until):
                #expect(until > now)
                #expect(TimestampAllocator.next(last: given.last, now: until) == .use(until))
            }
        }
        #expect(given.count > 100)
        #expect(zip(given, given.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test func `begins with the clock's second and waits for the next after each`() {
        #expect(TimestampAllocator.next(last: nil, now: 7) == .use(7))
        #expect(TimestampAllocator.next(last: 6, now: 7) == .use(7))
        #expect(TimestampAllocator.next(last: 7, now: 7) == .wait(until: 8))
        #expect(TimestampAllocator.next(last: 9, now: 7) == .wait(until: 10))
    }
}
