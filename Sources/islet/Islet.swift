import Foundation
import Glibc
import Terminal

@main
struct Islet {
    static let commands: [Command] = [
        .serve, .wait, .doctor, .demo, .simulate, .migrate, .keysCreate, .keysList, .keysRevoke,
        .keysRotateTickets, .tenantsCreate, .tenantsList, .tenantsLimits, .replayShow,
        .replayWhy, .replayStep, .replayWhatIf, .replayVerify, .replayFolds, .replayDiff,
        .replayRun, .replayConvert, .replayExport, .replayImport, .eventsExport, .eventsImport,
        .projectionsList, .projectionsParked, .projectionsRetry, .projectionsSkip,
        .projectionsRebuild, .projectionsPause, .projectionsResume, .projectionsCancel,
        .channelsList, .channelsSweep, .appsAdd, .appsList, .appsRotate, .appsRemove,
        .appsReseal, .webhooksAdd, .webhooksList, .webhooksRotate, .webhooksTest,
        .webhooksEnable, .webhooksDisable, .webhooksRemove, .deadLettersList, .deadLettersRetry,
        .deadLettersDismiss, .restoreStatus, .restoreHold, .restoreAccept,
    ]

    static func main() async {
        Memory.giveBackWhenIdle()
        let words = Array(CommandLine.arguments.dropFirst())
        let code = await run(words, environment: ProcessInfo.processInfo.environment)
        // Not `exit`: that lets the libraries take themselves apart (libuv its signal pipe, OpenSSL
        // its tables) while loops still run on their threads, which crashes now and then.
        fflush(nil)
        _exit(code)
    }

    /// - Returns: the exit code.
    static func run(_ words: [String], environment: [String: String]) async -> Int32 {
        guard let first = words.first, !["help", "--help", "-h"].contains(first) else {
            let isPage = words == ["help", "--markdown"]
            Console.print(isPage ? Help.page(of: commands) : Help.overview(of: commands))
            return words.isEmpty ? 2 : 0
        }
        if first == "--version" {
            Console.print("islet \(Version.current)")
            return 0
        }
        guard let command = command(for: words) else {
            let known = commands.filter { $0.path.first == first }
            if known.isEmpty {
                Console.note("islet: unknown command '\(first)'; see islet --help")
            } else if words.contains(where: { $0 == "--help" || $0 == "-h" }) {
                Console.print(Help.overview(of: known))
                return 0
            } else {
                let names = known.map { "islet \($0.name)" }.joined(separator: ", ")
                Console.note("islet: '\(first)' needs one of: \(names)")
            }
            return 2
        }
        return await run(command, words.dropFirst(command.path.count), environment)
    }

    private static func command(for words: [String]) -> Command? {
        commands.filter { words.starts(with: $0.path) }.max { $0.path.count < $1.path.count }
    }

    private static func run(
        _ command: Command, _ words: some Sequence<String>, _ environment: [String: String]
    ) async -> Int32 {
        do {
            let arguments = try Arguments(words, for: command, environment: environment)
            if arguments.asksForHelp {
                Console.print(Help.text(for: command))
            } else {
                try await command.run(arguments)
            }
            // As a shell gives for a program that a closed pipe has ended.
            return Console.isClosed ? 141 : 0
        } catch {
            switch error {
            case .usage(let text), .failed(let text), .interrupted(let text):
                Console.note("islet \(command.name): \(text)")
            case .reported, .found, .notSeen: break
            }
            return error.exitCode
        }
    }
}
