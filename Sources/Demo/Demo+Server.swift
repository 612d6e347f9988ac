import Foundation
import Hosting
import ServerClient
import Simulator
import Terminal

extension Demo {
    var keyFile: String { "\(directory)/dashboard-key" }

    func connect(to port: Int) async throws(CommandFailure) -> RemoteServer {
        let deadline = ContinuousClock.now + .seconds(60)
        let anonymous = RemoteServer(ServerURL(localPort: port), key: "none", on: loop)
        while await anonymous.healthComplaint != nil {
            guard ContinuousClock.now < deadline, !Task.isCancelled else {
                let log = try? String(contentsOfFile: "\(directory)/server.log", encoding: .utf8)
                throw .failed("the server did not start; its log:\n\(log ?? "")")
            }
            try? await Task.sleep(for: .milliseconds(50))
        }
        screen.step("islet keys create --tenant demo")
        let key = try await run(["keys", "create", "--tenant", "demo"])
        try SecretFile.write(key, to: keyFile)
        screen.step(
            "Putting policies in which seconds pass \(speed.formatted()) times as fast")
        let admin = try await run(["keys", "create", "--tenant", "demo", "--scope", "admin"])
        do throws(RemoteServer.Failure) {
            try await DemoPolicies(speed: speed)
                .put(with: RemoteServer(ServerURL(localPort: port), key: admin, on: loop))
        } catch { throw .failed("the policies could not be put: \(error)") }
        return RemoteServer(ServerURL(localPort: port), key: key, on: loop)
    }

    func serverArguments(_ port: Int, _ simulator: RunningSimulator) -> [String] {
        [
            "serve", "--port", "\(port)", "--data-dir", "\(directory)/data", "--apns-url",
            "https://127.0.0.1:\(simulator.apnsPort)", "--apns-channels-url",
            "https://127.0.0.1:\(simulator.managementPort)", "--apns-key-file",
            SimulatorSetup.keyFile(in: directory), "--apns-key-id", simulator.keyID,
            "--apns-team-id", simulator.teamID, "--apns-authority-file",
            SimulatorSetup.authorityFile(in: directory),
        ]
    }

    /// A command on the demo's database.
    func run(_ arguments: [String]) async throws(CommandFailure) -> String {
        try await Program.output(
            arguments + ["--data-dir", "\(directory)/data"], directory: directory, on: loop)
    }
}
