import Terminal
import Testing

@testable import Hosting

struct `The threads that a node may have` {
    @Test func `are as many as it needs, or it does not start and says how to raise the limit`()
        throws
    {
        try ThreadPlan.check(threadsMax: .max, cores: 64)
        try ThreadPlan.check(threadsMax: ThreadPlan.reserved + 2, cores: 2)
        let failure = #expect(throws: CommandFailure.self) {
            try ThreadPlan.check(threadsMax: ThreadPlan.reserved + 1, cores: 2)
        }
        let text = failure?.text ?? ""
        #expect(text.contains("may have 13 threads") && text.contains("needs 14"), "\(text)")
        #expect(text.contains("ulimit -u") && text.contains("TasksMax"))
    }

    @Test func `suffice where these tests run`() throws {
        try ThreadPlan.check()
    }
}
