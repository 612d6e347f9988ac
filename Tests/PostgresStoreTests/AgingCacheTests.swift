import Testing

@testable import PostgresStore

struct AgingCacheTests {
    @Test func `memory is bounded, and what is set often stays`() {
        var cache = AgingCache<String, Int>(halfMax: 3)
        for number in 1...20 {
            _ = cache.set("often", number)
            _ = cache.set("\(number)", number)
        }
        #expect(cache["often"] == 20)
        #expect((1...20).count { cache["\($0)"] != nil } <= 5)
        #expect(cache["20"] == 20)
    }

    @Test func `what is not set again is gone when it has aged twice`() {
        var cache = AgingCache<String, Int>(halfMax: 3)
        #expect(cache.set("a", 1) == nil)
        #expect(cache.set("a", 2) == 1)
        #expect(cache.set("b", 1) == nil)
        cache.age()
        #expect(cache["a"] == 2)
        // It takes room once more, until the older half goes.
        #expect(cache.set("a", 3) == nil)
        cache.age()
        #expect(cache["a"] == 3)
        #expect(cache["b"] == nil)
        cache.removeAll()
        #expect(cache["a"] == nil)
    }
}
