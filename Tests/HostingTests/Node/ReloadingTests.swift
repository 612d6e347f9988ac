import EventLoop
import Terminal
import Testing

@testable import Hosting

struct `A file of settings that is read again` {
    private func lines(
        _ before: String, _ after: String, _ items: [Reloading.Item] = []
    ) async throws -> [String] {
        let directory = try PrivateDirectory("islet-reload-test")
        defer { directory.remove() }
        let file = directory.file("islet.conf")
        try SecretFile.write(before, to: file)
        let arguments = try serveArguments(["--config", file])
        try SecretFile.write(after, to: file)
        let lines = LoggedLines()
        await Reloading(arguments: arguments, items: items, log: lines.log).run()
        return lines.all
    }

    @Test func `that is wrong changes nothing, and each wrong line is named`() async throws {
        let isRead = Lock(false)
        let item = Reloading.Item(options: ["log-level"]) { (_) async throws(CommandFailure) in
            isRead.withLock { $0 = true }
            return true
        }
        let said = try await lines("log-level = info\n", "log-level = loud\nprot = 1\n", [item])
        #expect(said.count == 1)
        let line = try #require(said.first)
        #expect(line.hasPrefix("<3>not taken over: what was read before stays in force"))
        #expect(line.contains("option=--config"))
        #expect(line.contains("islet.conf:1: log-level must be one of debug, info"))
        #expect(line.contains("islet.conf:2: islet serve has no setting 'prot'"))
        #expect(!isRead.withLock { $0 })
    }

    @Test func `names what counts after a restart only, and not what counts at once`()
        async throws
    {
        let levels = Lock<[String?]>([])
        let item = Reloading.Item(options: ["log-level"]) { (fresh) async throws(CommandFailure) in
            levels.withLock { $0.append(fresh.text("log-level")) }
            return true
        }
        let said = try await lines(
            "log-level = info\nlag-seconds-max = 30\n",
            "log-level = error\nlag-seconds-max = 40\n", [item])
        #expect(
            said == [
                "<4>changed in the file of settings: it counts after a restart "
                    + "option=lag-seconds-max",
                "<6>read again option=--log-level",
            ])
        #expect(levels.withLock { $0 } == ["error"])
    }

    @Test func `is logged also where nothing can be read again`() async throws {
        let said = try await lines("port = 0\n", "port = 0\n")
        #expect(said == ["<6>SIGHUP: no option names a file that can be read again"])
    }
}
