// swift-tools-version: 6.2
import PackageDescription

/// Strict settings shared by every Swift target: a warning is an error, existentials are spelled
/// out, and a member is visible only where its module is imported.
let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

func module(
    _ name: String, _ dependencies: [Target.Dependency] = [], resources: [Resource] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies, resources: resources, swiftSettings: strict)
}

func tests(
    _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, exclude: exclude, swiftSettings: strict)
}

let libraries: [Target] = [
    .systemLibrary(name: "CUV", pkgConfig: "libuv", providers: [.apt(["libuv1-dev"])]),
    .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .systemLibrary(
        name: "CNGHTTP2", pkgConfig: "libnghttp2", providers: [.apt(["libnghttp2-dev"])]),
    .systemLibrary(
        name: "CJemalloc", pkgConfig: "jemalloc", providers: [.apt(["libjemalloc-dev"])]),
    .systemLibrary(
        name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .target(name: "CHTTPParser", cxxSettings: [.define("BOOST_ALL_NO_LIB")]),
]

/// Imports only point down this list; `TidyTests` holds the table and checks every source file.
let modules: [Target] = [
    module("Domain"),
    module("Encodings"),
    module("EventLoop", ["CUV"]),
    module("TLS", ["COpenSSL"]),
    module("Projections", ["Domain"]),
    module("APNs", ["Encodings"]),
    module("Gzip", ["CZlib"]),
    module("Postgres", ["Encodings", "EventLoop", "CPostgres"], resources: []),
    module("WebClient", ["EventLoop", "CCurl"]),
    module("HTTP", ["EventLoop", "TLS", "CHTTPParser", "CNGHTTP2"]),
    module("PushDispatch", ["Domain", "Encodings", "Projections", "APNs"]),
    module("APNsClient", ["APNs", "HTTP", "EventLoop", "TLS"]),
    module(
        "EventStore", ["Domain", "Postgres"],
        resources: [.embedInCode("Migrations"), .embedInCode("Roles")]),
    module(
        "API",
        [
            "APNs", "Domain", "Encodings", "Projections", "PushDispatch", "EventStore", "Gzip",
            "HTTP",
        ], resources: [.copy("Assets")]),
    module("Pipeline", ["Domain", "Projections", "PushDispatch", "EventStore"]),
    module(
        "Delivery", ["Domain", "Encodings", "PushDispatch", "APNs", "APNsClient", "EventStore"]),
    module("Replay", ["Domain", "Encodings", "Projections", "PushDispatch", "EventStore"]),
    module("Archive", ["Domain", "Encodings", "EventLoop", "EventStore", "TLS"]),
    module(
        "Simulator", ["Domain", "Encodings", "Projections", "APNs", "HTTP", "EventLoop", "TLS"]),
    .executableTarget(
        name: "islet",
        dependencies: [
            "API", "APNs", "APNsClient", "Archive", "CJemalloc", "Delivery", "Domain", "Encodings",
            "EventLoop", "EventStore", "HTTP", "Pipeline", "Postgres", "Projections",
            "PushDispatch", "Replay",
            "Simulator", "TLS", "WebClient",
        ],
        resources: [.copy("Fixtures")],
        swiftSettings: strict),
    // The Swift half of `Benchmarks/run`, with the allocator that `islet` has.
    .executableTarget(
        name: "islet-bench",
        dependencies: ["APNs", "APNsClient", "CJemalloc", "EventLoop", "HTTP", "TLS"],
        path: "Benchmarks/islet-bench", swiftSettings: strict),
]

let testTargets: [Target] = [
    .target(
        name: "TestSupport",
        dependencies: ["Domain", "EventLoop", "EventStore", "Postgres", "PushDispatch"],
        path: "Tests/TestSupport", swiftSettings: strict),
    // The kind that docs/how-to/add-an-activity-kind.md adds.
    .target(
        name: "SixthKind", dependencies: ["Domain", "Projections"], path: "Tests/SixthKind",
        swiftSettings: strict),
    // Everything from intake to phones on one thread, whose time and chance come from a seed.
    .target(
        name: "VirtualTime",
        dependencies: [
            "APNs", "APNsClient", "Delivery", "Domain", "EventLoop", "EventStore", "HTTP",
            "Pipeline", "Projections", "PushDispatch", "Simulator", "TestSupport",
        ],
        path: "Tests/VirtualTime", swiftSettings: strict),
    .executableTarget(
        name: "islet-simulate", dependencies: ["CJemalloc", "Domain", "EventLoop", "VirtualTime"],
        path: "Tests/islet-simulate", swiftSettings: strict),
    tests(
        "VirtualTimeTests",
        [
            "APNs", "APNsClient", "Delivery", "Domain", "EventStore", "Postgres", "Projections",
            "PushDispatch", "TestSupport", "VirtualTime",
        ]),
    tests("DomainTests", ["Domain", "Projections", "TestSupport"], exclude: ["Golden"]),
    tests(
        "ProjectionsTests",
        ["Domain", "Projections", "PushDispatch", "SixthKind", "TestSupport"],
        exclude: ["Fixtures", "Golden"]),
    tests("EncodingsTests", ["Encodings"]),
    tests("APNsTests", ["APNs", "Encodings"], exclude: ["Golden"]),
    tests(
        "PushDispatchTests",
        ["APNs", "Domain", "Projections", "PushDispatch", "TLS", "TestSupport"]),
    tests("EventLoopTests", ["EventLoop", "TestSupport"]),
    tests("TLSTests", ["TLS"]),
    tests("HTTPTests", ["EventLoop", "HTTP", "TLS", "TestSupport"]),
    tests("WebClientTests", ["EventLoop", "HTTP", "TLS", "TestSupport", "WebClient"]),
    tests(
        "APNsClientTests",
        ["APNs", "APNsClient", "Encodings", "EventLoop", "HTTP", "TLS", "TestSupport"],
        exclude: ["Strict"]),
    tests("PostgresTests", ["EventLoop", "Postgres", "TestSupport"]),
    tests(
        "EventStoreTests",
        [
            "Domain", "EventLoop", "EventStore", "Pipeline", "Postgres", "PushDispatch",
            "TestSupport",
        ]),
    tests(
        "PipelineTests",
        [
            "Domain", "EventLoop", "EventStore", "Pipeline", "Postgres", "Projections",
            "PushDispatch", "Replay", "TestSupport",
        ]),
    tests(
        "APITests",
        [
            "API", "Domain", "EventLoop", "EventStore", "Gzip", "HTTP", "Pipeline", "Postgres",
            "Projections", "PushDispatch", "TestSupport",
        ],
        exclude: ["Browser", "Clients"]),
    tests(
        "DeliveryTests",
        [
            "APNs", "APNsClient", "Delivery", "Domain", "EventLoop", "EventStore", "Pipeline",
            "Postgres", "Projections", "PushDispatch", "TLS", "TestSupport",
        ], exclude: ["Golden"]),
    tests(
        "SimulatorTests",
        ["APNs", "Domain", "EventLoop", "HTTP", "Projections", "Simulator", "TLS"],
        exclude: ["Conformance"]),
    tests(
        "ReplayTests",
        [
            "Domain", "EventStore", "Pipeline", "Postgres", "Projections", "Replay", "TestSupport",
        ]),
    tests(
        "ArchiveTests",
        ["Archive", "Domain", "EventStore", "Pipeline", "Projections", "Replay", "TestSupport"]),
    tests(
        "SafetyTests",
        [
            "Domain", "EventLoop", "EventStore", "HTTP", "Postgres", "Simulator", "TestSupport",
            "islet",
        ]),
    tests(
        "CommandLineTests",
        [
            "APNsClient", "Archive", "Domain", "EventStore", "HTTP", "Projections", "Replay",
            "islet",
        ], exclude: ["Fixtures"]),
    tests(
        "EndToEndTests",
        [
            "API", "APNs", "APNsClient", "Delivery", "Domain", "EventLoop", "EventStore", "HTTP",
            "Pipeline", "Postgres", "Projections", "PushDispatch", "Simulator", "TLS",
            "TestSupport", "islet",
        ]),
    tests("TidyTests", []),
]

/// For `make fuzz` alone: libFuzzer goes with no ordinary build. See Tests/FuzzParsers/build.
let fuzzing: [Target] =
    Context.environment["ISLET_FUZZ"] == nil
    ? []
    : [
        .executableTarget(
            name: "islet-fuzz",
            dependencies: [
                "API", "Archive", "Domain", "EventStore", "HTTP", "Projections",
            ],
            path: "Tests/FuzzParsers", exclude: ["Corpus", "build", "run"],
            swiftSettings: strict + [.unsafeFlags(["-parse-as-library"])])
    ]

let package = Package(
    name: "islet",
    products: [.executable(name: "islet", targets: ["islet"])],
    targets: libraries + modules + testTargets + fuzzing,
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17)
