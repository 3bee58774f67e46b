import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join } from 'node:path'
import { buildConsole } from '../console/build-console.ts'
import { writeTarball } from './archive.ts'
import { findShipped, getLocked, type Lock, type ShippedPackage } from './packages.ts'
import { PROGRAM } from './shipped-programs.ts'
import { copyOwnFiles, copyPackage } from './stage.ts'

export type NpmProgramOptions = {
  /** The checkout. */
  root: string
  lock: Lock
  /** A folder that exists, for the files on their way. */
  work: string
  /** The tarball to write. */
  file: string
  version: string
  epochSeconds: number
  /** Of gzip, from 1 to 9. */
  level: number
}

const OWN_PATHS = [
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
  'contract',
  'docs',
  'examples',
  'presets',
  'service',
]

/** The package of our own that the program imports. */
const CONTRACT = '@plumbline/contract'

const MODULES = 'node_modules/'

/**
 * Writes the tarball from which npm installs the program: `npx ./plumbline-0.1.0.tgz serve --demo`.
 *
 * It brings its packages in the versions of package-lock.json. npm reads `npm-shrinkwrap.json` of
 * packages from a registry only.
 */
export async function writeNpmProgram(options: NpmProgramOptions): Promise<void> {
  const { root, lock, work, file, version, epochSeconds, level } = options
  const folder = join(work, 'package')
  mkdirSync(folder)
  await buildConsole({ onlyChanged: true, print: () => {} })
  try {
    const own = copyOwnFiles(root, folder, OWN_PATHS)
    for (const path of own.filter((one) => /^(contract|service)\/.*\.[jt]s$/.test(one)))
      toJavaScript(join(folder, path))
    const contract = join(folder, MODULES, CONTRACT)
    mkdirSync(dirname(contract), { recursive: true })
    renameSync(join(folder, 'contract'), contract)
    const exports = join(contract, 'package.json')
    writeFileSync(exports, readFileSync(exports, 'utf8').replaceAll('.ts"', '.js"'))
    const packages = findShipped(lock, PROGRAM).filter(({ path }) => path.startsWith(MODULES))
    for (const one of packages) copyPackage(root, folder, one)
    const manifest = manifestOf(lock, version, packages)
    writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`)
    writeTarball({ folder, file, epochSeconds, level })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Replaces a source by what Node makes of it: Node strips no types below `node_modules`. */
function toJavaScript(path: string): void {
  const text = readFileSync(path, 'utf8')
  const stripped = path.endsWith('.ts') ? stripTypeScriptTypes(text) : text
  rmSync(path)
  writeFileSync(path.replace(/ts$/, 'js'), stripped.replaceAll(OF_SOURCE, '$1.js$2'))
}

/** A text that is the relative path of a source. */
const OF_SOURCE = /('\.{1,2}\/[^'\n]+)\.ts(')/g

/** The packages lie in the tarball; npm fetches the Node of the platform. */
function manifestOf(lock: Lock, version: string, packages: readonly ShippedPackage[]) {
  const { optionalDependencies } = getLocked(lock, '')
  const { dependencies } = getLocked(lock, PROGRAM)
  const top = packages.filter(({ path }) => path.lastIndexOf(MODULES) === 0)
  return {
    name: 'plumbline',
    version,
    description: 'Open, self-hosted structural-health-monitoring data service',
    license: 'Apache-2.0',
    type: 'module',
    engines: { node: '>=20' },
    bin: { plumbline: 'service/bin/plumbline.js' },
    dependencies,
    optionalDependencies,
    bundleDependencies: [CONTRACT, ...top.map(({ name }) => name)],
  }
}
