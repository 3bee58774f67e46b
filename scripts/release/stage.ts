import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { ShippedPackage } from './packages.ts'

export type StageOptions = {
  /** The checkout. */
  root: string
  /** The folder that becomes the program; its parent exists. */
  target: string
  version: string
  arch: string
  packages: readonly ShippedPackage[]
  /** The folder of the package that brings Node for the processor. */
  nodeFolder: string
  /** The folder of the library that Node needs and small systems lack. */
  libraryFolder: string
  nodeFlags: readonly string[]
}

/** What is shipped of the checkout itself. */
const OWN_PATHS = [
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
  'client',
  'contract',
  'deploy',
  'docs',
  'examples',
  'presets',
  'service',
]

/** Tests and what only they read: a file beside them that begins with `_` is theirs. */
const OF_TESTS = /(^|\/)(test\/|_[^/]*$|[^/]*\.test\.ts$)/

/** Puts together the folder of a program that runs where nothing else is installed. */
export function stageProgram(options: StageOptions): void {
  const { root, target, version, arch, packages, nodeFolder, libraryFolder } = options
  mkdirSync(target)
  copyOwnFiles(root, target, OWN_PATHS)
  for (const one of packages.filter(({ integrity }) => integrity !== undefined))
    copyPackage(root, target, one, arch)
  mkdirSync(join(target, 'node_modules/@plumbline'), { recursive: true })
  for (const name of ['contract', 'client'])
    symlinkSync(`../../${name}`, join(target, 'node_modules/@plumbline', name))
  for (const file of ['bin/node', 'LICENSE'])
    copy(join(nodeFolder, file), join(target, 'runtime', file))
  cpSync(libraryFolder, join(target, 'runtime/lib'), { recursive: true })
  mkdirSync(join(target, 'bin'))
  writeFileSync(join(target, 'bin/plumbline'), launcherOf(options.nodeFlags), { mode: 0o755 })
  const manifest = { name: 'plumbline', version, private: true, license: 'Apache-2.0' }
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`)
}

/** What a build has made, and git ignores. */
const BUILT = 'console/dist'

/** Copies what is shipped of some paths of the checkout and the built console; returns the paths. */
export function copyOwnFiles(root: string, target: string, paths: readonly string[]): string[] {
  const own = listFiles(root, paths)
  cpSync(join(root, BUILT), join(target, BUILT), { recursive: true })
  for (const path of own) copy(join(root, path), join(target, path))
  for (const path of own.filter((one) => one.endsWith('.md'))) removeDeadLinks(join(target, path))
  return own
}

/** The files of the checkout below some paths, those that git ignores and those of tests left out. */
function listFiles(root: string, paths: readonly string[]): string[] {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...paths]
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 })
    .split('\0')
    .filter((path) => path !== '' && !OF_TESTS.test(path))
}

/** Leaves the words of links to files that are not shipped, such as those of the benchmarks. */
function removeDeadLinks(page: string): void {
  const text = readFileSync(page, 'utf8')
  const live = text.replaceAll(
    /\[([^\]]+)\]\(((?!\w+:)[^()#\s]+)(#[^()\s]*)?\)/g,
    (link, words: string, path: string) => (existsSync(join(dirname(page), path)) ? link : words),
  )
  if (live !== text) writeFileSync(page, live)
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  copyFileSync(from, to)
}

/** Sources of C and builds for other platforms, which only the package's own installation needs. */
const isForeign = (path: string, arch: string | undefined): boolean =>
  /^better-sqlite3\/(deps|src|binding\.gyp)(\/|$)/.test(path) ||
  (arch !== undefined &&
    /^better-sqlite3\/prebuilds\/.+/.test(path) &&
    !path.endsWith(`/linux-${arch}.node`))

/** Types and maps to sources, which nothing reads while the program runs. */
const FOR_EDITORS = /\.(d\.[cm]?ts|map)$/

/** Copies a package of npm to the same place; without a processor it keeps what it has for all. */
export function copyPackage(
  root: string,
  target: string,
  one: ShippedPackage,
  arch?: string,
): void {
  const from = join(root, one.path)
  cpSync(from, join(target, one.path), {
    recursive: true,
    filter(source) {
      const within = source.slice(from.length + 1)
      return (
        !/(^|\/)node_modules(\/|$)/.test(within) &&
        !FOR_EDITORS.test(within) &&
        !isForeign(`${one.name}/${within}`, arch)
      )
    },
  })
}

/** Finds its own folder through links; the processes that it starts need the library too. */
const launcherOf = (nodeFlags: readonly string[]): string => `#!/bin/sh
home=$(dirname "$(dirname "$(readlink -f "$0")")")
export LD_LIBRARY_PATH="$home/runtime/lib\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
exec "$home/runtime/bin/node" ${nodeFlags.join(' ')} "$home/service/bin/plumbline.js" "$@"
`
