import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Compiles a C file of this folder into a library that LD_PRELOAD takes; returns its path. */
export async function compileShim(name: string, into: string): Promise<string> {
  if (process.platform !== 'linux')
    throw new Error('Power cuts and full disks are made with LD_PRELOAD: run this test on Linux.')
  if (!(await hasCompiler())) await installCompiler()
  const source = fileURLToPath(new URL(`./${name}.c`, import.meta.url))
  const library = join(into, `${name}.so`)
  await run('cc', ['-shared', '-fPIC', '-O1', '-Wall', '-Werror', '-o', library, source, '-ldl'])
  return library
}

const hasCompiler = (): Promise<boolean> =>
  run('cc', ['--version']).then(
    () => true,
    () => false,
  )

async function installCompiler(): Promise<void> {
  if (process.getuid?.() !== 0)
    throw new Error('This test compiles a small C file: install a compiler, gcc and libc6-dev.')
  await install().catch(async () => {
    await run('apt-get', ['update', '-q'])
    await install()
  })
}

const install = () => run('apt-get', ['install', '-y', '-q', 'gcc', 'libc6-dev'])
