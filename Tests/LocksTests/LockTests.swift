import Locks
import TestSupport
import Testing

@Suite struct LockTests {
    @Test func `no increment is lost between threads`() async {
        let count = Lock(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<10_000 { count.withLock { $0 += 1 } } }
            }
        }
        #expect(count.value == 80_000)
    }

    @Test func `an error thrown inside lets go of the lock`() {
        struct Refusal: Error {}
        let lock = Lock([1])
        #expect(throws: Refusal.self) {
            try lock.withLock { state throws(Refusal) in
                state.append(2)
                throw Refusal()
            }
        }
        #expect(lock.value == [1, 2])
    }
}
