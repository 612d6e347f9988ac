import APNsClient
import HTTP
import Terminal
import Testing

@testable import AppKeys

struct ProxyOptionTests {
    @Test(arguments: [
        "proxy:3128", "https://proxy:3128", "http://proxy", "http://:3128", "http://proxy:0",
        "http://proxy:3128/path", "http://proxy:3128?x", "socks5://proxy:1080", "",
    ])
    func `what is no proxy's URL is not taken for one`(url: String) {
        let proxy = HTTPProxy(url: url)
        #expect(proxy == nil, "\(url) was taken")
    }

    @Test func `host, port and a password with odd characters are understood, and not shown`() {
        let proxy = HTTPProxy(url: "http://user:p%40ss%3Aword@proxy.example:3128/")
        #expect(proxy?.host == "proxy.example")
        #expect(proxy?.port == 3128)
        #expect(proxy.map { "\($0)" } == "proxy.example:3128")
    }

    @Test func `a bad URL is answered with the option's name and without the password`() {
        var complaint = ""
        do throws(CommandFailure) {
            let arguments = try Arguments(
                ["--apns-proxy", "http://user:hush@proxy"],
                for: Command(
                    path: ["try"], summary: "Try.", operands: [],
                    options: [APNsNetwork.proxyOption], examples: []
                ) { _ async throws(CommandFailure) in }, environment: [:])
            _ = try APNsNetwork.make(arguments, log: nil)
        } catch {
            complaint = "\(error)"
        }
        #expect(complaint.contains("--apns-proxy"))
        #expect(complaint.contains("ISLET_APNS_PROXY"))
        #expect(!complaint.contains("hush"))
    }
}
