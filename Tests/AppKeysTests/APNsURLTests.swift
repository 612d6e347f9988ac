import EventLoop
import Terminal
import Testing

@testable import AppKeys

struct `The URL of APNs` {
    @Test(arguments: [
        "http://apns.example", "https://", "apns.example:443", "https://apns.example:0",
        "https://127.0.0.1:65536", "https://127.0.0.1:2147483648",
        "https://apns.example:9223372036854775807",
    ])
    func `is refused where nobody could connect to it`(url: String) {
        let complaint = complaint(of: ["--apns-url", url])
        #expect(complaint.contains("--apns-url must look like https://host:port"), "\(complaint)")
    }

    @Test func `of a proxy is refused without a key too, and its password is not repeated`() {
        let complaint = complaint(of: ["--apns-proxy", "ftp://ada:secret@proxy"])
        #expect(complaint.contains("--apns-proxy"), "\(complaint)")
        #expect(!complaint.contains("secret"))
    }

    /// Without a key, as `islet config check` may be asked.
    private func complaint(of words: [String]) -> String {
        do throws(CommandFailure) {
            let arguments = try Arguments(
                words,
                for: Command(
                    path: ["try"], summary: "Try.", operands: [], options: APNsSetup.options,
                    examples: []
                ) { _ async throws(CommandFailure) in }, environment: [:])
            _ = try APNsSetup.make(arguments, loop: EventLoop(name: "try"))
            return ""
        } catch { return "\(error)" }
    }
}
