import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { RefusedError } from '../../../errors/refused-error.ts'
import { codeOf } from '../../../errors/thrown.ts'
import type { StorageTarget } from '../connection/storage-url.ts'

export type Tool = 'pg_dump' | 'pg_restore'

type Environment = Readonly<Record<string, string | undefined>>

/** A connection as variables of libpq: every user can list the arguments of a process. */
export const connectionVariables = (
  target: StorageTarget,
  password: string | undefined,
): Environment => ({
  PGHOST: target.host,
  PGPORT: String(target.port),
  PGUSER: target.user,
  PGDATABASE: target.database,
  PGSSLMODE: target.sslmode,
  PGCONNECT_TIMEOUT: String(target.connectTimeoutSeconds),
  PGAPPNAME: target.applicationName,
  ...optional('PGPASSWORD', password ?? target.password),
  ...optional('PGSSLROOTCERT', target.sslrootcert),
  ...optional('PGSSLCERT', target.sslcert),
  ...optional('PGSSLKEY', target.sslkey),
  ...optional('PGOPTIONS', target.options),
})

const optional = (name: string, value: string | undefined): Environment =>
  value === undefined ? {} : { [name]: value }

/** Runs a tool of PostgreSQL; throws what it says where it fails. */
export async function runTool(
  tool: Tool,
  args: readonly string[],
  { environment, signal }: { environment: Environment; signal: AbortSignal },
): Promise<string> {
  const child = spawn(tool, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...environment, LC_ALL: 'C' },
  })
  const stop = (): void => void child.kill()
  signal.addEventListener('abort', stop)
  try {
    const output = Promise.all([text(child.stdout), text(child.stderr)])
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', resolve)
    })
    signal.throwIfAborted()
    const [stdout, stderr] = await output
    if (code === 0) return stdout
    throw new RefusedError('unavailable', `${tool} failed: ${stderr.trim().split('\n').join(' ')}`)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    throw new RefusedError(
      'unavailable',
      `The program ${tool} is not on this machine. Install the client of PostgreSQL, such as postgresql-client of Debian.`,
    )
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** Refuses a tool that is older than the server. */
export async function requireTool(
  tool: Tool,
  server: number,
  options: { environment: Environment; signal: AbortSignal },
): Promise<void> {
  const version = Number(/(\d+)/.exec(await runTool(tool, ['--version'], options))?.[1])
  if (version >= server) return
  throw new RefusedError(
    'unavailable',
    `The program ${tool} has version ${version}, and the server has ${server}. Install the client of PostgreSQL ${server}.`,
  )
}
