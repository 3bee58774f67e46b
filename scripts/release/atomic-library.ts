import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { debianArchitecture } from './debian-names.ts'

/** A library that is shipped, in a folder with its licence. */
export type ShippedLibrary = { folder: string; version: string }

const PACKAGE = 'libatomic1'
const LIBRARY = 'libatomic.so.1'
const NOTICE = `${LIBRARY} is the run-time library of GCC, unchanged, from the package ${PACKAGE} of Debian. Its source
is the source package of the version below, at https://snapshot.debian.org.
`

/**
 * The library that the pinned Node needs and small systems lack, as Debian builds it: the installed
 * one, or for another processor the one that apt fetches. Its folder is the `runtime/lib` of a release.
 */
export function findAtomicLibrary(root: string, arch: string): ShippedLibrary {
  const folder = join(root, 'node_modules/.cache/release', `libatomic-${arch}`)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const work = mkdtempSync(join(tmpdir(), 'plumbline-libatomic-'))
  try {
    const debian = debianArchitecture(arch)
    const { root: from, version } = installed(debian) ?? fetched(debian, work)
    const [file] = globSync(join(from, `usr/lib/*-linux-gnu/${LIBRARY}`))
    if (file === undefined) throw new Error(`The package ${PACKAGE} has no ${LIBRARY}.`)
    copyFileSync(file, join(folder, LIBRARY))
    const texts = [join(from, 'usr/share/doc', PACKAGE, 'copyright'), GPL]
      .filter((path) => existsSync(path))
      .map((path) => readFileSync(path, 'utf8'))
    writeFileSync(
      join(folder, 'LICENSE'),
      [`${NOTICE}\n${PACKAGE} ${version}\n`, ...texts].join('\n'),
    )
    return { folder, version }
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

const GPL = '/usr/share/common-licenses/GPL-3'

type Unpacked = { root: string; version: string }

const output = (program: string, ...args: string[]): string =>
  execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()

function installed(debian: string): Unpacked | undefined {
  try {
    const version = output('dpkg-query', '-W', '-f', '${Version}', `${PACKAGE}:${debian}`)
    return version === '' ? undefined : { root: '/', version }
  } catch {
    return undefined
  }
}

/** By an apt with lists of its own, so that the system gets no foreign architecture. */
function fetched(debian: string, work: string): Unpacked {
  for (const folder of ['lists/partial', 'archives/partial'])
    mkdirSync(join(work, folder), { recursive: true })
  const options = [
    `APT::Architecture=${debian}`,
    `APT::Architectures=${debian}`,
    `Dir::State::lists=${work}/lists`,
    'Dir::State::status=/dev/null',
    `Dir::Cache=${work}`,
    'APT::Sandbox::User=root',
  ].flatMap((option) => ['-o', option])
  output('apt-get', ...options, 'update', '-q')
  execFileSync('apt-get', [...options, 'download', '-q', PACKAGE], { cwd: work, stdio: 'pipe' })
  const [file = ''] = globSync(join(work, '*.deb'))
  output('dpkg-deb', '-x', file, join(work, 'root'))
  return { root: join(work, 'root'), version: output('dpkg-deb', '-f', file, 'Version') }
}
