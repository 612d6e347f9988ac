import EventLoop
import Glibc
import Terminal

/// `islet serve` in a process of its own, so that it can be killed like a real one. When it dies
/// without having been asked to, it is started again.
actor DemoServer {
    private let arguments: [String]
    private let logFile: String
    private let loop: EventLoop
    private let screen: DemoScreen
    private var child: ChildProcess?
    private var isStopping = false
    private(set) var restarts = 0

    /// - Parameters:
    ///   - arguments: after the program's name.
    ///   - logFile: takes the server's log.
    ///   - screen: says when the server died and is started again.
    init(arguments: [String], logFile: String, loop: EventLoop, screen: DemoScreen) {
        self.arguments = arguments
        self.logFile = logFile
        self.loop = loop
        self.screen = screen
    }

    var processID: Int32 { child?.pid ?? 0 }

    func start() async throws(CommandFailure) {
        let child: ChildProcess
        do throws(NetworkError) {
            child = try await ChildProcess.start(
                Program.path, arguments, errors: logFile, on: loop)
        } catch { throw .failed("cannot start the server: \(error)") }
        self.child = child
        Task { await ended(await child.ending()) }
    }

    func stop() async {
        isStopping = true
        await child?.send(signal: SIGTERM)
        _ = await child?.ending()
    }

    private func ended(_ ending: ChildProcess.Ending) async {
        if isStopping { return }
        restarts += 1
        switch ending {
        case .exited(let code):
            screen.warning("the server ended with code \(code); starting it again")
        case .killed(let signal):
            screen.warning("the server was killed by signal \(signal); starting it again")
        }
        try? await start()
    }
}
