import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Credentials } from '../../../service/src/site/applications.ts'
import { fetchHttps } from '../load/fetch.ts'
import type { Target } from '../load/load.ts'
import { keep, serverOf, type Server } from './child.ts'
import type { DataFolder } from './data-folder.ts'

const START_MILLISECONDS = 120_000

/** Open days stay open, so that what is measured stays the same all the while. */
const QUIET = {
  PLUMBLINE_OPS_PORT: '0',
  PLUMBLINE_LOG_LEVEL: 'warn',
  PLUMBLINE_SEAL_EVERY_MINUTES: '0',
}

/** Runs `plumbline serve` as an operator does; resolves once it says where it listens. */
export async function startService(
  dataFolder: string,
  extraArguments: readonly string[] = [],
  settings: Readonly<Record<string, string>> = {},
): Promise<Server> {
  // The command's own first line passes flags to Node, so it is run by its name.
  const child = spawn(
    'plumbline',
    ['serve', '--data', dataFolder, '--host', '127.0.0.1', '--port', '0', ...extraArguments],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...QUIET, ...settings },
    },
  )
  keep(child)
  const timer = setTimeout(() => child.kill('SIGKILL'), START_MILLISECONDS)
  try {
    for await (const line of createInterface(child.stdout)) {
      const port = /^listening on https:\/\/.*:(\d+)$/.exec(line)?.[1]
      if (port === undefined) continue
      child.stdout.resume()
      return serverOf(child, Number(port))
    }
  } finally {
    clearTimeout(timer)
  }
  throw new Error('the service ended before it listened')
}

/** A service on a data folder, and a token to read from it. */
export async function startReadable(
  folder: Pick<DataFolder, 'path' | 'ca' | 'application'>,
  extraArguments: readonly string[] = [],
  settings: Readonly<Record<string, string>> = {},
): Promise<Target & { token: string }> {
  const server = await startService(folder.path, extraArguments, settings)
  return { ...server, ca: folder.ca, token: await issueToken(server, folder) }
}

/** Issues an access token over the interface. */
export async function issueToken(
  { port }: Server,
  { application, ca }: { application: Credentials; ca: string },
): Promise<string> {
  const basic = Buffer.from(`${application.appId}:${application.appSecret}`).toString('base64')
  const { body } = await fetchHttps({
    port,
    ca,
    method: 'POST',
    path: '/api/v1/oauth2/token',
    headers: {
      authorization: `Basic ${basic}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    content: 'grant_type=client_credentials',
  })
  return (JSON.parse(body.toString()) as { token: string }).token
}
