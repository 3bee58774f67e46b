import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import Sqlite from 'better-sqlite3'
import { writeTarball } from './archive.ts'
import { findAtomicLibrary, type ShippedLibrary } from './atomic-library.ts'
import { changelogSection } from './changelog-section.ts'
import { debianArchitecture, debianVersion } from './debian-names.ts'
import { writeDebianPackage } from './debian.ts'
import { findForbidden, formatLicences } from './licences.ts'
import { findNodeFolder } from './node-package.ts'
import { findShipped, getLocked, type Lock } from './packages.ts'
import { writeSbom, type ShippedProgram } from './sbom.ts'
import { stageProgram } from './stage.ts'

export type ReleaseOptions = {
  /** The checkout. */
  root: string
  /** The folder of the results, which is replaced. */
  out: string
  /** Processors as Node names them: `x64`, `arm64`. */
  architectures: readonly string[]
  isQuick: boolean
  print(line: string): void
}

/** The package that is the program. */
export const PROGRAM = 'service'

/** The package that brings SQLite. */
const BETTER_SQLITE = 'node_modules/better-sqlite3'

/** Plain JavaScript without types, since an older Node runs it. */
type PinnedNode = { FLAGS: string[]; packageOf(platform: string, arch: string): string }

/** Makes everything that a release has. */
export async function makeRelease(options: ReleaseOptions): Promise<void> {
  const { root, architectures, isQuick, print } = options
  const out = resolve(options.out)
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const epochSeconds = readEpoch(root)
  const changes = git(root, 'status', '--porcelain')
  if (changes !== '') print(`The checkout has changes that are not committed:\n${changes}`)
  rmSync(out, { recursive: true, force: true })
  mkdirSync(join(out, 'image'), { recursive: true })
  const work = mkdtempSync(join(tmpdir(), 'plumbline-release-'))
  try {
    for (const arch of architectures) {
      const name = `plumbline-${version}-linux-${arch}`
      const program = join(work, name)
      await buildProgram({ root, program, version, arch, epochSeconds })
      const tarball = join(out, `${name}.tar.gz`)
      writeTarball({ folder: program, file: tarball, epochSeconds, level: isQuick ? 1 : 6 })
      const inContext = `plumbline-linux-${debianArchitecture(arch)}.tar.gz`
      linkSync(tarball, join(out, 'image', inContext))
      copyFileSync(join(program, 'sbom.cdx.json'), join(out, `${name}.cdx.json`))
      copyFileSync(join(program, 'LICENSES.txt'), join(out, `plumbline-${version}-licences.txt`))
      print(`${name}.tar.gz`)
      const deb = `plumbline_${debianVersion(version)}_${debianArchitecture(arch)}.deb`
      if (hasDpkgDeb()) {
        writeDebianPackage({
          root,
          program,
          folder: join(work, `${name}-debian`),
          file: join(out, deb),
          version,
          arch,
          epochSeconds,
          compression: isQuick ? 'none' : 'xz',
        })
        print(deb)
      } else print(`There is no dpkg-deb: ${deb} was not made. Install the package dpkg.`)
    }
    copyFileSync(join(root, 'deploy/Dockerfile'), join(out, 'image/Dockerfile'))
    const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
    const section = changelogSection(changelog, version)
    writeFileSync(join(out, `plumbline-${version}-changes.md`), section)
    writeFileSync(join(out, 'SHA256SUMS'), checksumsOf(out))
    print(`The release is in ${out}.`)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

type BuildOptions = {
  root: string
  /** The folder to make. */
  program: string
  version: string
  arch: string
  epochSeconds: number
}

/** Puts the folder of the program together, with its licences and its bill of materials. */
export async function buildProgram(options: BuildOptions): Promise<void> {
  const { root, program, version, arch, epochSeconds } = options
  const pinned: PinnedNode = await import(join(root, 'service/bin/pinned-node.js'))
  const lock = readLock(root)
  const packages = findShipped(lock, PROGRAM)
  const nodePackage = pinned.packageOf('linux', arch)
  const nodeFolder = findNodeFolder(root, lock, nodePackage)
  const library = findAtomicLibrary(root, arch)
  const programs = shippedPrograms({ lock, nodeFolder, nodePackage, library })
  const licensed = [
    ...packages
      .filter(({ integrity }) => integrity !== undefined)
      .map((one) => ({ ...one, folder: join(root, one.path) })),
    ...programs.map(({ program, folder }) => ({ ...program, folder })),
  ]
  const forbidden = findForbidden(licensed)
  if (forbidden.length > 0) throw new Error(forbidden.join('\n'))
  stageProgram({
    root,
    target: program,
    version,
    arch,
    packages,
    nodeFolder,
    libraryFolder: library.folder,
    nodeFlags: pinned.FLAGS,
  })
  const sbom = writeSbom({
    version,
    arch,
    epochSeconds,
    packages,
    programs: programs.map(({ program }) => program),
    start: PROGRAM,
  })
  writeFileSync(join(program, 'sbom.cdx.json'), `${JSON.stringify(sbom, undefined, 2)}\n`)
  writeFileSync(join(program, 'LICENSES.txt'), formatLicences(licensed))
}

export const readLock = (root: string): Lock =>
  JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))

/** What is shipped and is no package of npm, with the folder of its licence. */
function shippedPrograms({
  lock,
  nodeFolder,
  nodePackage,
  library,
}: {
  lock: Lock
  nodeFolder: string
  nodePackage: string
  library: ShippedLibrary
}): { program: ShippedProgram; folder: string }[] {
  const { version: node = '' } = getLocked(lock, `node_modules/${nodePackage}`)
  const sqlite = sqliteVersion()
  return [
    {
      folder: nodeFolder,
      program: {
        type: 'platform',
        name: 'node',
        version: node,
        license: 'MIT',
        within: PROGRAM,
        cpe: `cpe:2.3:a:nodejs:node.js:${node}:*:*:*:-:*:*:*`,
        sha256: sha256Of(join(nodeFolder, 'bin/node')),
      },
    },
    {
      folder: library.folder,
      program: {
        type: 'library',
        name: 'libatomic',
        version: library.version,
        license: 'GPL-3.0-or-later WITH GCC-exception-3.1',
        within: PROGRAM,
        sha256: sha256Of(join(library.folder, 'libatomic.so.1')),
      },
    },
    {
      // Its text is that of the package around it.
      folder: join(nodeFolder, 'bin'),
      program: {
        type: 'library',
        name: 'sqlite',
        version: sqlite,
        license: 'blessing',
        within: BETTER_SQLITE,
        cpe: `cpe:2.3:a:sqlite:sqlite:${sqlite}:*:*:*:*:*:*:*`,
      },
    },
  ]
}

function sqliteVersion(): string {
  const database = new Sqlite(':memory:')
  try {
    return String(database.prepare('select sqlite_version()').pluck().get())
  } finally {
    database.close()
  }
}

const sha256Of = (file: string): string =>
  createHash('sha256').update(readFileSync(file)).digest('hex')

const git = (root: string, ...args: string[]): string =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()

/** The time that files of a release have: that of its commit, unless the environment says another. */
function readEpoch(root: string): number {
  const { SOURCE_DATE_EPOCH: given } = process.env
  return Number(given ?? git(root, 'log', '-1', '--format=%ct'))
}

function hasDpkgDeb(): boolean {
  try {
    execFileSync('dpkg-deb', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** In the form that `sha256sum --check` reads. */
const checksumsOf = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .map((file) => {
      return `${sha256Of(file)}  ${file.slice(folder.length + 1)}\n`
    })
    .join('')
