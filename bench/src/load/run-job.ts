import { Connection, type HttpResponse } from './connection.ts'
import type { Job, Load, Times } from './job.ts'

/** Opens the connections of a job; what comes back runs it once. */
export async function prepare(job: Job, fail: (error: Error) => void) {
  const { port, ca, expectedBody } = job
  const options = { port, ca, keepsBody: expectedBody !== undefined }
  const connections = await Promise.all(
    Array.from({ length: job.connections }, () => Connection.open(options, fail)),
  )
  return {
    run: () => run(job, connections),
    stall: () => {
      for (const connection of connections) connection.sendAndStall(job.requests[0]!)
    },
    close: () => {
      for (const connection of connections) connection.close()
    },
  }
}

function run(job: Job, connections: readonly Connection[]): Promise<Load> {
  const { requests, milliseconds, everyMilliseconds = 0, expectedBody } = job
  const { promise, resolve } = Promise.withResolvers<Load>()
  const firstBytes: number[] = []
  const times: number[] = []
  const cpu = process.cpuUsage()
  const start = performance.now()
  const end = milliseconds === undefined ? Infinity : start + milliseconds
  let next = 0
  let bytes = 0
  let wrong: string | undefined
  let busy = connections.length

  const continueOn = (connection: Connection): void => {
    const isOver = milliseconds === undefined ? next >= requests.length : performance.now() >= end
    if (!isOver) {
      const number = next++
      const early = start + number * everyMilliseconds - performance.now()
      if (early > 0) setTimeout(send, early, connection, number, 0)
      else send(connection, number, everyMilliseconds === 0 ? 0 : -early)
      return
    }
    if (--busy > 0) return
    const { user, system } = process.cpuUsage(cpu)
    resolve({
      responses: times.length,
      bytes,
      milliseconds: performance.now() - start,
      wrong,
      cpuMilliseconds: (user + system) / 1000,
      firstByte: summarise(firstBytes),
      response: summarise(times),
    })
  }
  const send = (connection: Connection, number: number, late: number): void =>
    connection.send(requests[number % requests.length]!, (response) => {
      note(response, late)
      continueOn(connection)
    })
  const note = (response: HttpResponse, late: number): void => {
    bytes += response.bytes
    firstBytes.push(response.firstByteMilliseconds)
    times.push(late + response.milliseconds)
    if (response.status !== 200 || response.body !== expectedBody)
      wrong ??= `${response.status} ${response.body ?? ''}`
  }
  for (const connection of connections) continueOn(connection)
  return promise
}

function summarise(times: number[]): Times {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? NaN
  return { median: at(0.5), p99: at(0.99), greatest: at(1) }
}
