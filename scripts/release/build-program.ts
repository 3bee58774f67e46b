import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findAtomicLibrary } from './atomic-library.ts'
import { findForbidden, formatLicences } from './licences.ts'
import { findNodeFolder } from './node-package.ts'
import { buildConsole } from '../console/build-console.ts'
import { findAllShipped, findShipped, type Lock } from './packages.ts'
import { writeSbom } from './sbom.ts'
import { CONSOLE, PROGRAM, shippedPrograms } from './shipped-programs.ts'
import { stageProgram } from './stage.ts'

/** Plain JavaScript without types, since an older Node runs it. */
type PinnedNode = { FLAGS: string[]; packageOf(platform: string, arch: string): string }

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
  const packages = findAllShipped(lock, [PROGRAM, CONSOLE])
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
  await buildConsole({ onlyChanged: true, print: () => {} })
  stageProgram({
    root,
    target: program,
    version,
    arch,
    packages: findShipped(lock, PROGRAM),
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
