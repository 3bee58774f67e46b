import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { needCommand } from './_debian.ts'
import { eventually } from './_eventually.ts'

/** Prints each datagram of a socket as a line of JSON; descriptors that come with one are closed. */
const READER = `
import json, socket, sys
name = sys.argv[1]
reader = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
reader.bind('\\0' + name[1:] if name[0] == '@' else name)
print('"bound"', flush=True)
while True:
    print(json.dumps(reader.recv(65536).decode()), flush=True)
`

/** What stands for the service manager: a datagram socket that remembers what it was sent. */
export class ServiceManager implements AsyncDisposable {
  readonly socket: string
  readonly lines: string[]
  readonly #stop: () => Promise<void>

  constructor(socket: string, lines: string[], stop: () => Promise<void>) {
    this.socket = socket
    this.lines = lines
    this.#stop = stop
  }

  /** Waits until a line was sent. */
  async line(line: string): Promise<void> {
    await eventually(() => assert.ok(this.lines.includes(line)))
  }

  count(line: string): number {
    return this.lines.filter((one) => one === line).length
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop()
  }
}

/** Not `BARRIER=1`, with which the sender asks for a descriptor to be closed. */
const isOfService = (line: string): boolean => line !== '' && line !== 'BARRIER=1'

/** Listens on a socket: a path, or a name that begins with `@`, an abstract one. */
export async function startServiceManager(socket: string): Promise<ServiceManager> {
  await needCommand('python3', 'python3')
  const reader = spawn('python3', ['-c', READER, socket], { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines: string[] = []
  const bound = Promise.withResolvers<void>()
  createInterface({ input: reader.stdout }).on('line', (text) => {
    if (text === '"bound"') bound.resolve()
    else lines.push(...String(JSON.parse(text)).split('\n').filter(isOfService))
  })
  await bound.promise
  return new ServiceManager(socket, lines, async () => {
    const exit = once(reader, 'exit')
    reader.kill()
    await exit
  })
}
