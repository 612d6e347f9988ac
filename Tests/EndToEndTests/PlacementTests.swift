import Foundation
import ProjectFiles
import Testing
import TestSupport

/// `tools/placement`, by which docs/SCALING.md says where tenants belong.
@Suite(.timeLimit(.minutes(2)))
struct `The simulation of tenants in cells` {
    /// For each way of placing: cells, busiest, worst, spread, moves, days, rows, longest day,
    /// most.
    private func play(
        _ options: [String], in directory: ScratchDirectory
    ) async throws -> IsletProgram.Result {
        let tool = ProjectFiles.url("tools/placement").path
        return try await IsletProgram.start(program: ["python3", tool] + options, in: directory)
            .result()
    }

    @Test func `moves tenants only where it may, and keeps cells less busy by it`()
        async throws
    {
        try await ScratchDirectory.with { directory in
            // Nearly full from the start, and growing.
            let options = [
                "--tenants", "400", "--peak", "30000", "--cells", "4", "--days", "60",
                "--growth", "20", "--seed", "5",
            ]
            let first = try await play(options, in: directory)
            try #require(first.code == 0, "\(first.errors)")
            #expect(try await play(options, in: directory).output == first.output)
            let lines = first.output.split(separator: "\n").dropFirst().map { line in
                (
                    way: line.split(separator: "  ")[0],
                    figures: line.split(separator: "  ").dropFirst().map {
                        $0.trimmingCharacters(in: .whitespaces)
                    }
                )
            }
            try #require(lines.count == 4, "\(first.output)")
            for line in lines {
                let moves = try #require(Int(line.figures[4]))
                #expect((moves > 0) == line.way.contains("moved when busy"), "\(first.output)")
                let busiest = try #require(Int(line.figures[1].dropLast()))
                #expect((busiest < 75) == (moves > 0), "\(first.output)")
            }
        }
    }

    @Test func `says which option is wrong`() async throws {
        try await ScratchDirectory.with { directory in
            let refused = try await play(["--cells", "65"], in: directory)
            #expect(refused.code == 2)
            let complaint = "--cells: must be a number, 1 to 64"
            #expect(refused.errors.contains(complaint), "\(refused.errors)")
        }
    }
}
