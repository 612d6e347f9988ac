public import EventLoop
import HTTP
public import Simulator
public import Terminal

/// Starts the simulator and leaves in a directory what a server needs to trust and use it.
public enum SimulatorSetup {
    public static func keyFile(in directory: String) -> String { "\(directory)/AuthKey.p8" }

    public static func authorityFile(in directory: String) -> String {
        "\(directory)/authority.pem"
    }

    /// - Parameter option: the one that names the directory, without dashes.
    public static func start(
        _ configuration: SimulatorConfiguration, loop: EventLoop, credentialsDirectory: String,
        option: String? = nil
    ) async throws(CommandFailure) -> RunningSimulator {
        let running: RunningSimulator
        do throws(SimulatorError) {
            running = try await Simulator.start(loop: loop, configuration: configuration)
        } catch { throw .failed("the simulator cannot start: \(complaint(error, configuration))") }
        try SecretFile.write(
            running.signingKeyPEM, to: keyFile(in: credentialsDirectory), option: option)
        try SecretFile.write(
            running.authorityPEM, to: authorityFile(in: credentialsDirectory), option: option)
        return running
    }

    /// Names who has a port that is in use, and the option that gives another one.
    private static func complaint(
        _ error: SimulatorError, _ configuration: SimulatorConfiguration
    ) -> String {
        guard case .cannotListen(let port, let reason) = error else { return error.description }
        let number =
            switch port {
            case .apns: configuration.apnsPort
            case .management: configuration.managementPort
            case .control: configuration.controlPort
            }
        return "cannot listen on \(configuration.host):\(number): "
            + PortOwner.complaint(
                .cannotListen(reason), port: number, option: "\(port.rawValue)-port")
    }
}
