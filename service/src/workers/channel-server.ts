import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import type { Server as HttpServer } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setClientOf } from '../http/requests/connection-address.ts'
import type { ChannelAddress } from './messages.ts'
import { PREFACE_BYTES, readPreface } from './preface.ts'

/** The path of a socket has at most some 100 bytes, of which this many are the folder of its folder. */
const FOLDER_BYTES = 70

/** How long a worker may take for its preface. */
const PREFACE_MILLISECONDS = 5_000

const LINE_BREAK = 0x0a

/**
 * The end of the private channel at the first process.
 *
 * Each of its connections stands for the connection of one client of a worker: it begins with the
 * client's address, then come the requests that the worker passes on.
 */
export class ChannelServer implements AsyncDisposable {
  readonly #folder: string
  readonly #key = randomBytes(32).toString('hex')
  readonly #server: Server

  private constructor(folder: string, accept: (socket: Socket, key: string) => void) {
    this.#folder = folder
    this.#server = createServer((socket) => accept(socket, this.#key))
  }

  /** Opens the channel in a folder that only this user may enter; requests go to a server. */
  static async open(interfaceServer: HttpServer | HttpsServer): Promise<ChannelServer> {
    const parent = tmpdir().length > FOLDER_BYTES ? '/tmp' : tmpdir()
    const folder = process.platform === 'win32' ? '' : await mkdtemp(join(parent, 'plumbline-'))
    const channel = new ChannelServer(folder, (socket, key) => {
      void accept(socket, key, interfaceServer)
    })
    try {
      channel.#server.listen(channel.address.path)
      await once(channel.#server, 'listening')
    } catch (error) {
      await channel[Symbol.asyncDispose]()
      throw error
    }
    return channel
  }

  /** Where workers connect. */
  get address(): ChannelAddress {
    return { path: this.pathOf('first'), key: this.#key }
  }

  /** The path of a socket in the folder. */
  pathOf(name: string): string {
    return this.#folder === ''
      ? `\\\\.\\pipe\\plumbline-${this.#key.slice(0, 16)}-${name}`
      : join(this.#folder, `${name}.socket`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close()
    if (this.#folder !== '') await rm(this.#folder, { recursive: true, force: true })
  }
}

/** Gives a connection of a worker to the server as one whose TLS the worker has ended. */
async function accept(
  socket: Socket,
  key: string,
  server: HttpServer | HttpsServer,
): Promise<void> {
  socket.on('error', () => socket.destroy())
  const timer = setTimeout(() => socket.destroy(), PREFACE_MILLISECONDS)
  const line = await readLine(socket)
  clearTimeout(timer)
  const client = line === undefined ? undefined : readPreface(line, key)
  if (client === undefined) return void socket.destroy()
  setClientOf(socket, client)
  server.emit('secureConnection', socket)
}

/** Reads the first line; undefined where the connection ends or the line is too long. */
async function readLine(socket: Socket): Promise<string | undefined> {
  let read = Buffer.alloc(0)
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  const give = (line: string | undefined): void => {
    socket.off('readable', take).off('close', end)
    resolve(line)
  }
  const end = (): void => give(undefined)
  const take = (): void => {
    const chunk: unknown = socket.read()
    if (!(chunk instanceof Buffer)) return
    read = Buffer.concat([read, chunk])
    const length = read.indexOf(LINE_BREAK)
    if (length < 0) return read.length > PREFACE_BYTES ? give(undefined) : undefined
    give(read.toString('latin1', 0, length))
    if (length + 1 < read.length) socket.unshift(read.subarray(length + 1))
  }
  socket.on('readable', take).on('close', end)
  return promise
}
