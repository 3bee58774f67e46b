import { RefusedError } from '../errors/refused-error.ts'
import { toError } from '../errors/thrown.ts'
import { printResult, type Command } from './command.ts'
import { loadSettings } from './load-settings.ts'

/** A check that waits for its database longer than this counts as failed. */
const TIMEOUT_MILLISECONDS = 8_000

export const health: Command = {
  summary: 'ask the running service whether it is ready',
  usage: 'plumbline health [--live] [--json]',
  help: `Asks the port for health and metrics (ops.host, ops.port) of the service on this machine. Exits with 0 if it
reads and writes, with 1 if it does not or does not answer, and with 3 if nothing is known, since the settings cannot
be read or name no port. For health checks of containers.

  --live   ask only whether the process runs: for what restarts a service that is not healthy
  --json   print JSON`,
  options: { live: { type: 'boolean' }, json: { type: 'boolean' } },

  async run(context) {
    const { flags } = context
    const { 'ops.host': host, 'ops.port': port } = await loadSettings(context)
    if (port === 0)
      throw new RefusedError(
        'unavailable',
        'The port for health is turned off: set ops.port to another number than 0.',
      )
    const address = `http://${hostOf(host)}:${port}/health/${flags['live'] ? 'live' : 'ready'}`
    const { isHealthy, body } = await ask(address)
    if (!isHealthy) throw new IllError(`The service is not ready: ${body.message ?? ''}`)
    printResult(context, body, [`The service is ${body.status}.`])
  },

  explainUnknown: (error) =>
    error instanceof IllError
      ? undefined
      : {
          code: UNKNOWN,
          advice:
            'Nothing is known of the service. Its port answers every user: curl http://localhost:8444/health/ready.',
        },
}

/** What plugins of monitoring systems exit with when they could not ask. */
const UNKNOWN = 3

/** The service does not read and write, or does not answer. */
class IllError extends RefusedError {
  constructor(message: string) {
    super('unavailable', message)
  }
}

/** A service that listens on all addresses is asked on the loopback address. */
function hostOf(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

type Health = { isHealthy: boolean; body: { status?: string; message?: string } }

async function ask(address: string): Promise<Health> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MILLISECONDS)
    const response = await fetch(address, { signal })
    return { isHealthy: response.ok, body: (await response.json()) as Health['body'] }
  } catch (error) {
    throw new IllError(`No service answers at ${address}: ${describe(toError(error))}.`)
  }
}

/** Node wraps the reason of a failed connection. */
const describe = (error: Error): string =>
  error.name === 'TimeoutError'
    ? `nothing within ${TIMEOUT_MILLISECONDS / 1000} seconds`
    : toError(error.cause ?? error).message
