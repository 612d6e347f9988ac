import Testing

@testable import Terminal

struct `A document for programs` {
    private struct Document: Encodable {
        var url = "https://example.com/a"
        var count = 2
        var name: String?
    }

    @Test func `has its members in order, and no slash escaped`() {
        #expect(
            Console.json(Document()) == """
                {
                  "count" : 2,
                  "url" : "https://example.com/a"
                }
                """)
    }

    @Test func `is null for what JSON cannot say`() {
        #expect(Console.json(Double.nan) == "null")
    }
}

struct `A long run` {
    @Test func `gives what its work gives, and is interrupted only by a signal`() async throws {
        let answer = try await LongRun.until { (_) async throws(CommandFailure) -> Int in 7 }
        #expect(answer == 7)
        for failure in [CommandFailure.failed("no"), .usage("no"), .reported] {
            await #expect(throws: failure) {
                _ = try await LongRun.until { (_) async throws(CommandFailure) -> Int in
                    throw failure
                }
            }
        }
    }
}
