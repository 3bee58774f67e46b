import assert from 'node:assert/strict'
import { Agent } from 'node:https'
import type { TestContext } from 'node:test'
import { startChild, type Child } from '../_child.ts'
import { eventually } from '../_eventually.ts'
import { callHttps, type Call, type HttpResponse } from '../_service.ts'
import { TOKEN } from '../faults/_site.ts'

export const STRUCTURES = `/api/v1/structures?token=${TOKEN}`

type WorkersState = {
  wanted: number
  answering: number
  restarts: number
  workers: { worker: number; pid: number; answers: boolean; connections: number }[]
}

/** Starts the service with several processes. */
export const startWorkers = (
  folder: string,
  workers: number,
  environment: Record<string, string> = {},
): Promise<Child> => startChild(folder, { PLUMBLINE_HTTP_WORKERS: String(workers), ...environment })

/** The processes as the port for operators shows them. */
export async function readState(child: Child): Promise<WorkersState> {
  const { status, text } = await child.getOps('/health/workers')
  assert.equal(status, 200)
  return JSON.parse(text) as WorkersState
}

/** The process id of a worker. */
export async function pidOf(child: Child, worker: number): Promise<number> {
  const state = await readState(child)
  const found = state.workers.find((one) => one.worker === worker)
  assert.ok(found, `there is no worker ${worker}`)
  return found.pid
}

/** A client with one connection, which one process serves. */
export type Client = {
  worker: number
  call(path: string, call?: Call): Promise<HttpResponse>
}

/** Opens a client of each of some processes, which are the ones with the fewest connections. */
export async function openClients(
  t: TestContext,
  child: Child,
  workers: readonly number[],
): Promise<Client[]> {
  const clients: Client[] = []
  for (const _ of workers) {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    t.after(() => agent.destroy())
    const call = (path: string, options: Call = {}): Promise<HttpResponse> =>
      callHttps(`${child.origin}${path}`, child.certificate, { ...options, agent })
    const before = completed(child).length
    assert.equal((await call(STRUCTURES)).status, 200)
    await eventually(() => assert.equal(completed(child).length, before + 1))
    clients.push({ worker: completed(child).at(-1)?.worker ?? 1, call })
  }
  clients.sort((one, other) => one.worker - other.worker)
  assert.deepEqual(
    clients.map(({ worker }) => worker),
    workers,
  )
  return clients
}

type LogLine = { msg: string; worker?: number; event?: string; from?: string; pid: number }

export const linesOf = ({ logged }: Child): LogLine[] =>
  logged
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as LogLine)

/** The responses that were logged. */
const completed = (child: Child): LogLine[] =>
  linesOf(child).filter(({ msg }) => msg === 'request completed')
