import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ServerAddress } from './_client.ts'
import { PostgresServer } from './_server.ts'

let shared: Promise<ServerAddress> | undefined

/** The server that all processes of a test run share: the first to ask starts it. */
export const sharedServer = (): Promise<ServerAddress> => (shared ??= findOrCreate())

async function findOrCreate(): Promise<ServerAddress> {
  const run = process.env['TEST_RUN_PID']
  // A test file that runs alone has a server for itself.
  if (run === undefined) return PostgresServer.create()
  const file = join(tmpdir(), 'postgres.json')
  const known = await readAddress(file)
  if (known !== undefined) return known
  await using _lock = await takeLock(`${file}.lock`)
  return (await readAddress(file)) ?? (await createIn(file, Number(run)))
}

async function createIn(file: string, run: number): Promise<ServerAddress> {
  const { folder, port } = await PostgresServer.create({ run })
  await writeFile(`${file}.new`, JSON.stringify({ folder, port }))
  await rename(`${file}.new`, file)
  return { folder, port }
}

const readAddress = (file: string): Promise<ServerAddress | undefined> =>
  readFile(file, 'utf8').then(
    (text): ServerAddress => JSON.parse(text),
    () => undefined,
  )

/** A lock that one process has at a time; it ends with the process. */
async function takeLock(file: string): Promise<AsyncDisposable> {
  const child = spawn('flock', [file, 'sh', '-c', 'echo locked; exec cat'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  await once(child, 'spawn')
  await once(child.stdout, 'data')
  return {
    async [Symbol.asyncDispose]() {
      const exit = once(child, 'exit')
      child.stdin.end()
      await exit
    },
  }
}
