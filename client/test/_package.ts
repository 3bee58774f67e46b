import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

const exec = promisify(execFile)

/** Runs a program and returns what it printed; throws with that when it fails. */
export async function run(
  program: string,
  args: readonly string[],
  { cwd, environment = {} }: { cwd: string; environment?: NodeJS.ProcessEnv },
): Promise<string> {
  try {
    const env = { ...process.env, ...environment }
    return (await exec(program, args, { cwd, env, maxBuffer: 2 ** 26 })).stdout
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`${program} ${args.join(' ')} failed:\n${stdout}${stderr}`, { cause: error })
  }
}

/** An empty folder that ends with its owner. */
export function makeFolder(): Disposable & { path: string } {
  const path = mkdtempSync(join(tmpdir(), 'plumbline-package-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/** Packs a workspace into a folder and returns the path of its tarball. */
export async function pack(workspace: string, folder: string): Promise<string> {
  await run('npm', ['pack', '-w', workspace, '--silent', '--pack-destination', folder], {
    cwd: ROOT,
  })
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'))
  if (tarball === undefined) throw new Error(`npm pack -w ${workspace} made no tarball`)
  return join(folder, tarball)
}

export const compile = (folder: string, ...args: string[]): Promise<string> =>
  run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), ...args], { cwd: folder })
