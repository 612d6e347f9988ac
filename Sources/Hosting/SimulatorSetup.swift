import EventLoop
import Foundation
import Simulator

/// Starts the simulator and leaves in a directory what a server needs to trust and use it.
enum SimulatorSetup {
    static func keyFile(in directory: String) -> String { "\(directory)/AuthKey.p8" }

    static func authorityFile(in directory: String) -> String { "\(directory)/authority.pem" }

    static func start(
        _ configuration: SimulatorConfiguration, loop: EventLoop, credentialsDirectory: String
    ) async throws(CommandFailure) -> RunningSimulator {
        let running: RunningSimulator
        do throws(SimulatorError) {
            running = try await Simulator.start(loop: loop, configuration: configuration)
        } catch { throw .failed("the simulator cannot start: \(error)") }
        try SecretFile.write(running.signingKeyPEM, to: keyFile(in: credentialsDirectory))
        try SecretFile.write(running.authorityPEM, to: authorityFile(in: credentialsDirectory))
        return running
    }
}
