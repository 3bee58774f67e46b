import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { needCommand } from './_debian.ts'

const FLAGS = `--headless --no-sandbox --disable-gpu --ignore-certificate-errors
  --disable-background-networking --disable-component-update --disable-sync
  --autoplay-policy=no-user-gesture-required --window-size=800,600 --remote-debugging-port=0`.split(
  /\s+/,
)

type Answer = { id: number; result?: any; error?: { message: string } }

/** A page in a real Chromium, which ends with the test. */
export class ChromiumPage implements AsyncDisposable {
  readonly #process: ChildProcess
  readonly #profile: string
  readonly #socket: WebSocket
  readonly #waiting = new Map<number, PromiseWithResolvers<any>>()
  #last = 0

  private constructor(started: ChildProcess, profile: string, socket: WebSocket) {
    this.#process = started
    this.#profile = profile
    this.#socket = socket
    socket.addEventListener('message', ({ data }) => {
      const { id, result, error }: Answer = JSON.parse(String(data))
      const waiting = this.#waiting.get(id)
      this.#waiting.delete(id)
      if (error === undefined) waiting?.resolve(result)
      else waiting?.reject(new Error(error.message))
    })
  }

  /** Opens an address. */
  static async open(url: string): Promise<ChromiumPage> {
    await needCommand('chromium', 'chromium')
    const profile = await mkdtemp(join(tmpdir(), 'plumbline-chromium-'))
    const started = spawn('chromium', [...FLAGS, `--user-data-dir=${profile}`, 'about:blank'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const endWithUs = () => started.kill('SIGKILL')
    process.once('exit', endWithUs)
    started.once('exit', () => process.off('exit', endWithUs))
    const port = await readPort(started)
    const response = await fetch(`http://127.0.0.1:${port}/json/new?${encodeURIComponent(url)}`, {
      method: 'PUT',
    })
    const { webSocketDebuggerUrl } = (await response.json()) as { webSocketDebuggerUrl: string }
    const socket = new WebSocket(webSocketDebuggerUrl)
    await once(socket, 'open')
    return new ChromiumPage(started, profile, socket)
  }

  /** The value of an expression in the page, which may be a promise; it may do what a click may. */
  async evaluate<Value>(expression: string): Promise<Value> {
    const parameters = {
      expression,
      awaitPromise: true,
      returnByValue: true,
      userGesture: true,
    }
    const { result, exceptionDetails } = await this.#send('Runtime.evaluate', parameters)
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails))
    return result.value
  }

  /** A PNG of what the page shows. */
  async screenshot(): Promise<Buffer> {
    const { data } = await this.#send('Page.captureScreenshot', { format: 'png' })
    return Buffer.from(data, 'base64')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.close()
    const exited = once(this.#process, 'exit')
    this.#process.kill('SIGKILL')
    await exited
    await rm(this.#profile, { recursive: true, force: true, maxRetries: 3 })
  }

  #send(method: string, params: object): Promise<any> {
    const id = ++this.#last
    const waiting = Promise.withResolvers<any>()
    this.#waiting.set(id, waiting)
    this.#socket.send(JSON.stringify({ id, method, params }))
    return waiting.promise
  }
}

async function readPort({ stderr }: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: stderr! })) {
    const [, port] = /DevTools listening on ws:\/\/127\.0\.0\.1:(\d+)\//.exec(line) ?? []
    if (port === undefined) continue
    stderr!.resume()
    return port
  }
  throw new Error('Chromium did not start')
}
