import Domain
import Testing

struct `A traceparent` {
    private let trace = "0af7651916cd43dd8448eb211c80319c"
    private let span = "b7ad6b7169203331"

    @Test func `names a trace, a span, and whether it is recorded`() {
        let parent = TraceParent("00-\(trace)-\(span)-01")
        #expect(parent?.traceID == trace)
        #expect(parent?.spanID == span)
        #expect(parent?.isSampled == true)
        #expect(TraceParent("00-\(trace)-\(span)-02")?.isSampled == false)
        #expect(TraceParent("01-\(trace)-\(span)-03-more")?.isSampled == true)
    }

    @Test(arguments: [
        "", "00", "ff-T-S-01", "00-T-S-01-more", "01-T-Sx01", "00-T-S-0", "00-T-S-zz",
        "00-00000000000000000000000000000000-S-01", "00-T-0000000000000000-01",
        "00-0AF7651916CD43DD8448EB211C80319C-S-01",
    ])
    func `is nothing else`(text: String) {
        #expect(TraceParent(text.replacing("T", with: trace).replacing("S", with: span)) == nil)
    }
}
