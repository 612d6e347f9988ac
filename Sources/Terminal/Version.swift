/// The program's version, as `--version`, `/healthz` and the User-Agent tell it.
public enum Version {
    public static let current = "0.1.0"
}
