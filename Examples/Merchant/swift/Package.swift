// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "merchant",
    dependencies: [
        // Outside of this repository: `.package(url: "https://…/islet.git", from: "…")`.
        .package(name: "islet", path: "../../..")
    ],
    targets: [
        .executableTarget(
            name: "merchant",
            dependencies: [
                .product(name: "IsletActivities", package: "islet"),
                .product(name: "IsletClient", package: "islet"),
            ])
    ],
    swiftLanguageModes: [.v6])
