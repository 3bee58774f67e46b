import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { CameraWatch, type CameraLimits } from '../limits/camera-watch.ts'

/**
 * Passes the bytes of one connection between a camera and ffmpeg, which connects to a port of this
 * machine. The port takes one connection, the first.
 */
export class TcpRelay implements AsyncDisposable {
  readonly port: number
  readonly #camera: Socket
  readonly #listener: Server
  readonly #watch: CameraWatch
  #ffmpeg: Socket | undefined

  static async open(camera: Socket, limits: CameraLimits): Promise<TcpRelay> {
    const listener = createServer({ noDelay: true })
    listener.listen(0, '127.0.0.1')
    await once(listener, 'listening')
    return new TcpRelay(camera, listener, limits)
  }

  private constructor(camera: Socket, listener: Server, limits: CameraLimits) {
    const address = listener.address()
    this.port = typeof address === 'object' ? (address?.port ?? 0) : 0
    this.#camera = camera
    this.#listener = listener
    this.#watch = new CameraWatch(limits, () => this.#end())
    // Until ffmpeg asks, the camera need not send.
    this.#watch.hold()
    listener.once('connection', (ffmpeg) => this.#connected(ffmpeg))
    camera.on('error', () => this.#watch.fail('The connection to the camera broke.'))
    camera.on('close', () => this.#watch.fail('The camera closed the connection.'))
  }

  /** Why the camera gave nothing more: a sentence without secrets. */
  failure(): string | undefined {
    return this.#watch.failure
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#watch[Symbol.dispose]()
    this.#ffmpeg?.destroy()
    this.#end()
    if (!this.#camera.closed) await once(this.#camera, 'close')
  }

  #connected(ffmpeg: Socket): void {
    this.#listener.close()
    this.#ffmpeg = ffmpeg
    this.#watch.release()
    this.#camera.on('data', (chunk: Buffer) => {
      this.#watch.received(chunk.length)
      if (ffmpeg.writable && !ffmpeg.write(chunk)) this.#pause(ffmpeg)
    })
    ffmpeg.pipe(this.#camera)
    ffmpeg.on('error', () => {})
    ffmpeg.on('close', () => void this[Symbol.asyncDispose]())
  }

  #pause(ffmpeg: Socket): void {
    this.#camera.pause()
    this.#watch.hold()
    ffmpeg.once('drain', () => {
      this.#watch.release()
      this.#camera.resume()
    })
  }

  /** What the camera sent before is still read. */
  #end(): void {
    this.#listener.close()
    this.#ffmpeg?.end()
    this.#camera.destroy()
  }
}
