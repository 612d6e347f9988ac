public import EventLoop
import HTTP
import TLS

extension Simulator {
    /// Starts a simulated Apple on `loop`.
    ///
    /// The certificate authority is made afresh each time; so is the signing key unless given.
    /// - Throws: `SimulatorError.cannotStart` or `.cannotListen`.
    public static func start(
        loop: EventLoop, configuration: SimulatorConfiguration
    ) async throws(SimulatorError) -> RunningSimulator {
        let key: ES256PrivateKey
        let authority: SelfSignedAuthority
        let tls: TLSContext
        do throws(TLSError) {
            key = try configuration.signingKeyPEM.map(ES256PrivateKey.init(pem:)) ?? .generate()
            authority = try .make(hosts: [configuration.host] + configuration.furtherHosts)
            tls = try .server(
                certificateChainPEM: authority.certificatePEM,
                privateKeyPEM: authority.privateKeyPEM, alpn: ["h2"],
                refusesOthers: configuration.refused.contains(.noALPN))
        } catch { throw .cannotStart("key or certificate: \(error)") }
        var publicKeys: [String: ES256PublicKey] = [configuration.keyID: key.publicKey]
        do throws(TLSError) {
            for further in configuration.furtherKeys {
                publicKeys[further.keyID] = try ES256PublicKey(pem: further.publicKeyPEM)
            }
        } catch { throw .cannotStart("further key: \(error)") }
        let seed = configuration.seed ?? UInt64.random(in: 0...UInt64.max)
        let simulator = Simulator(configuration, seed: seed) {
            [publicKeys] input, signature, keyID in
            publicKeys[keyID]?.isValid(signature: signature, for: input) ?? false
        }
        return try await simulator.listen(
            loop: loop, tls: tls, authorityPEM: authority.authorityPEM, signingKeyPEM: key.pem)
    }

    private func listen(
        loop: EventLoop, tls: TLSContext, authorityPEM: String, signingKeyPEM: String
    ) async throws(SimulatorError) -> RunningSimulator {
        func gateway(_ port: Int, isManagement: Bool) -> Gateway {
            Gateway(
                host: configuration.host, port: port, loop: loop, tls: tls,
                needsALPN: configuration.refused.contains(.noALPN),
                withoutALPN: { self.noteMissingALPN() },
                fate: { self.fate(of: $0, isManagement: isManagement) },
                answer: { self.answer($0, isManagement: isManagement, refusedFor: $1) })
        }
        let pushes = gateway(configuration.apnsPort, isManagement: false)
        let management = gateway(configuration.managementPort, isManagement: true)
        let apnsPort: Int
        do { apnsPort = try await pushes.start() } catch { throw .cannotListen(.apns, error) }
        let managementPort: Int
        do { managementPort = try await management.start() } catch {
            await pushes.stop(within: .zero)
            throw .cannotListen(.management, error)
        }
        let credentials = SimulatorCredentials(
            apnsPort: apnsPort, managementPort: managementPort, authorityPEM: authorityPEM,
            signingKeyPEM: signingKeyPEM,
            teamID: configuration.teamID, keyID: configuration.keyID,
            bundleID: configuration.bundleID)
        let api = ControlAPI(simulator: self, credentials: credentials)
        let control = HTTP1Server(
            loop: loop, host: configuration.host, port: configuration.controlPort,
            handler: { api.respond(to: $0) })
        let controlPort: Int
        do { controlPort = try await control.start() } catch {
            await pushes.stop(within: .zero)
            await management.stop(within: .zero)
            throw .cannotListen(.control, error)
        }
        connect { act, isManagement in
            switch act {
            case .setStreamLimit: (isManagement ? management : pushes).perform(act)
            case .disconnect, .goAway, .setReadRate, .observed:
                pushes.perform(act)
                management.perform(act)
            }
        }
        return RunningSimulator(
            simulator: self, controlPort: controlPort, credentials: credentials,
            gateways: [pushes, management], control: control,
            ticker: Task { [weak self] in
                // Until it is cancelled, or nobody has the simulator any more.
                while (try? await Task.sleep(for: .seconds(1))) != nil, let simulator = self {
                    simulator.settle()
                }
            })
    }
}

extension SimulatorError {
    fileprivate static func cannotListen(_ port: SimulatorPort, _ error: HTTPError) -> Self {
        guard case .cannotListen(let reason) = error else {
            return .cannotListen(on: port, error.description)
        }
        return .cannotListen(on: port, reason)
    }
}
