import Foundation
import FuzzTargets

/// Of libFuzzer, which is linked in without its own `main`.
@_silgen_name("LLVMFuzzerRunDriver")
private func run(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ tryOne: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// Runs libFuzzer on one of the parsers: `islet-fuzz PARSER [options of libFuzzer] [CORPUS …]`.
@main
struct FuzzParsers {
    nonisolated(unsafe) private static var chosen: @Sendable ([UInt8]) -> Void = { _ in }

    static func main() {
        let name = CommandLine.arguments.dropFirst().first ?? ""
        guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
            let names = FuzzTarget.all.map(\.name).sorted().joined(separator: ", ")
            FileHandle.standardError.write(Data("islet-fuzz PARSER, one of \(names)\n".utf8))
            exit(2)
        }
        chosen = target.tryOne
        // The parser's name is none of libFuzzer's words.
        var count = CommandLine.argc - 1
        let words = CommandLine.unsafeArgv
        words[1] = words[0]
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = words + 1
        withUnsafeMutablePointer(to: &arguments) { arguments in
            arguments.withMemoryRebound(
                to: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?.self, capacity: 1
            ) { arguments in
                _ = run(&count, arguments) { bytes, count in
                    FuzzParsers.chosen(Array(UnsafeBufferPointer(start: bytes, count: count)))
                    return 0
                }
            }
        }
    }
}
