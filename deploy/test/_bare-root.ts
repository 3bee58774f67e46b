import { execFile } from 'node:child_process'
import { copyFile, mkdir, symlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Programs that a launcher needs, and nothing else: no Node, no package manager. */
const PROGRAMS = ['sh', 'readlink', 'dirname', 'ls', 'cat']

/** Libraries of GCC and C that every system has which installs packages. */
const LIBRARIES = ['libc.so.6', 'libm.so.6', 'libdl.so.2', 'libpthread.so.0']

/** Fills an empty folder with the smallest root in which a program for Linux runs. */
export async function makeBareRoot(root: string): Promise<void> {
  const files = new Set<string>()
  for (const program of PROGRAMS) {
    const path = (await run('sh', ['-c', `command -v ${program}`])).stdout.trim()
    files.add(path)
    for (const library of await librariesOf(path)) files.add(library)
  }
  const { stdout } = await run('ldconfig', ['-p'])
  const wanted = [...LIBRARIES, 'libstdc++.so.6', 'libgcc_s.so.1', 'ld-linux-x86-64.so.2']
  for (const name of wanted) {
    const path = stdout.split('\n').find((line) => line.trim().startsWith(`${name} (`))
    if (path !== undefined) files.add(path.split(' => ')[1]!.trim())
  }
  for (const file of files) {
    await mkdir(dirname(join(root, file)), { recursive: true })
    await copyFile(file, join(root, file))
  }
  await mkdir(join(root, 'bin'), { recursive: true }).catch(() => undefined)
  const shell = [...files].find((file) => basename(file) === 'sh')!
  if (dirname(shell) !== '/bin') await symlink(shell, join(root, 'bin/sh'))
}

async function librariesOf(program: string): Promise<string[]> {
  const { stdout } = await run('ldd', [program])
  return Array.from(stdout.matchAll(/(\/\S+) \(0x/g), ([, path = '']) => path)
}
