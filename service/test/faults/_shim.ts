import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { needCommand } from '../_debian.ts'

const run = promisify(execFile)

/** Compiles a C file of this folder into a library that LD_PRELOAD takes; returns its path. */
export async function compileShim(name: string, into: string): Promise<string> {
  if (process.platform !== 'linux')
    throw new Error('Power cuts and full disks are made with LD_PRELOAD: run this test on Linux.')
  await needCommand('cc', 'gcc', 'libc6-dev')
  const source = fileURLToPath(new URL(`./${name}.c`, import.meta.url))
  const library = join(into, `${name}.so`)
  await run('cc', ['-shared', '-fPIC', '-O1', '-Wall', '-Werror', '-o', library, source, '-ldl'])
  return library
}
