import { execFileSync } from 'node:child_process'
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
import { join, relative, resolve } from 'node:path'
import { writeTarball } from './archive.ts'
import { buildProgram, readLock } from './build-program.ts'
import { changelogSection } from './changelog-section.ts'
import { debianArchitecture, debianVersion } from './debian-names.ts'
import { writeDebianPackage } from './debian.ts'
import { writeNpmProgram } from './npm-program.ts'
import { sha256Of } from './sha256.ts'

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
    const npmFile = `plumbline-${version}.tgz`
    await writeNpmProgram({
      root,
      lock: readLock(root),
      work,
      file: join(out, npmFile),
      version,
      epochSeconds,
      level: isQuick ? 1 : 6,
    })
    print(npmFile)
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
    .map((file) => `${sha256Of(file)}  ${relative(folder, file)}\n`)
    .join('')
