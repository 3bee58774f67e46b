const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }

/** The name that Debian and images have for a processor of Node. */
export const debianArchitecture = (arch: string): string => ARCHITECTURES[arch] ?? arch

/** Versions of Debian sort `1.0.0~rc.1` before `1.0.0`. */
export const debianVersion = (version: string): string => version.replace('-', '~')
