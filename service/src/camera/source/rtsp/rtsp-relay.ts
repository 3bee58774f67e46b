import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { CameraWatch, type CameraLimits } from '../limits/camera-watch.ts'
import { CameraLogin } from '../login/camera-login.ts'
import { sentenceOf, type OpenedSource } from '../opened-source.ts'
import type { NetworkSource } from '../parse-source.ts'
import { CameraDialogue } from './camera-dialogue.ts'
import { RequestTranslation } from './request-translation.ts'
import { formatMessage, headerOf, type RtspMessage } from './rtsp-message.ts'
import { RtspReader, type RtspUnit } from './rtsp-reader.ts'

/** What a camera has not read yet of requests; with more it is given up. */
const MOST_UNREAD_BYTES = 65_536

/** So long a camera has time to end a session. */
const LEAVE_MILLISECONDS = 500

const INPUT: readonly string[] = [
  '-rtsp_transport tcp -allowed_media_types video',
  '-protocol_whitelist rtsp,tcp,rtp -format_whitelist rtsp -f rtsp -i',
].flatMap((line) => line.split(' '))

/**
 * Relays RTSP between a camera and ffmpeg, which reads a port of this machine.
 *
 * ffmpeg sees no name, no path and no credentials of the camera. The port takes one connection, the
 * first, for one stream of video. Requests are written anew, and so are responses, from the few parts
 * that ffmpeg needs: no `Location`, `RTP-Info` or `Range` of a camera reaches it.
 */
export class RtspRelay implements OpenedSource {
  readonly input: readonly string[]
  readonly stdin = undefined
  readonly #camera: Socket
  readonly #listener: Server
  readonly #watch: CameraWatch
  readonly #dialogue: CameraDialogue
  readonly #translation: RequestTranslation
  #ffmpeg: Socket | undefined

  static async open(
    source: NetworkSource,
    camera: Socket,
    limits: CameraLimits,
  ): Promise<RtspRelay> {
    const listener = createServer({ noDelay: true })
    listener.listen(0, '127.0.0.1')
    await once(listener, 'listening')
    return new RtspRelay(source, camera, { listener, limits })
  }

  private constructor(
    source: NetworkSource,
    camera: Socket,
    { listener, limits }: { listener: Server; limits: CameraLimits },
  ) {
    const address = listener.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const uri = `rtsp://127.0.0.1:${port}/camera`
    this.input = [...INPUT, uri]
    this.#camera = camera
    this.#listener = listener
    this.#watch = new CameraWatch(limits, () => this.#end())
    this.#dialogue = new CameraDialogue(new CameraLogin(source.credentials), (bytes) =>
      this.#sendToCamera(bytes),
    )
    this.#translation = new RequestTranslation(source, uri)
    // Until ffmpeg asks, the camera need not send.
    this.#watch.hold()
    listener.once('connection', (ffmpeg) => this.#connected(ffmpeg))
    camera.on('error', () => this.#watch.fail('The connection to the camera broke.'))
    camera.on('close', () => this.#watch.fail('The camera closed the connection.'))
  }

  failure(): string | undefined {
    return this.#watch.failure
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#leave()
    if (!this.#camera.closed) await once(this.#camera, 'close')
  }

  #connected(ffmpeg: Socket): void {
    this.#listener.close()
    this.#ffmpeg = ffmpeg
    this.#watch.release()
    const [fromCamera, fromFfmpeg] = [new RtspReader(), new RtspReader()]
    visitChunks(this.#camera, (chunk) => {
      this.#watch.count(chunk.length)
      ffmpeg.cork()
      this.#try(() => {
        for (const unit of fromCamera.read(chunk)) this.#takeFromCamera(ffmpeg, unit)
      })
      ffmpeg.uncork()
      if (ffmpeg.writableNeedDrain) this.#pause(ffmpeg)
    })
    visitChunks(ffmpeg, (chunk) =>
      this.#try(() => {
        for (const unit of fromFfmpeg.read(chunk)) this.#takeFromFfmpeg(ffmpeg, unit)
      }),
    )
    ffmpeg.on('error', () => {})
    ffmpeg.on('close', () => this.#leave())
  }

  #pause(ffmpeg: Socket): void {
    this.#camera.pause()
    this.#watch.hold()
    ffmpeg.once('drain', () => {
      this.#watch.release()
      this.#camera.resume()
    })
  }

  #takeFromCamera(ffmpeg: Socket, unit: RtspUnit): void {
    if (unit.kind === 'message') {
      this.#watch.sawLife()
      return this.#dialogue.receive(unit.message)
    }
    if (!this.#translation.isPlaying) return
    // Frames of odd channels are reports, which a camera without pictures sends too.
    if (unit.channel % 2 === 0) this.#watch.sawLife()
    if (ffmpeg.writable) ffmpeg.write(unit.bytes)
  }

  #takeFromFfmpeg(ffmpeg: Socket, unit: RtspUnit): void {
    if (unit.kind === 'frame') this.#sendToCamera(unit.bytes)
    else void this.#answer(ffmpeg, unit.message).catch((error: unknown) => this.#fail(error))
  }

  async #answer(ffmpeg: Socket, request: RtspMessage): Promise<void> {
    const number = headerOf(request, 'cseq')
    const asked = this.#translation.toCamera(request)
    if (asked === undefined) {
      ffmpeg.write(formatMessage('RTSP/1.0 404 Not Found', { CSeq: number }))
      return
    }
    const response = await this.#dialogue.request(asked)
    const { start, headers, body } = this.#translation.toFfmpeg(asked, response)
    ffmpeg.write(formatMessage(start, { CSeq: number, ...headers }, body))
  }

  #sendToCamera(bytes: Buffer): void {
    if (!this.#camera.writable) return
    this.#camera.write(bytes)
    if (this.#camera.writableLength > MOST_UNREAD_BYTES)
      this.#watch.fail('The camera does not read what it is asked.')
  }

  #try(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#fail(error)
    }
  }

  #fail(error: unknown): void {
    this.#watch.fail(sentenceOf(error))
  }

  /** Ends the session, so that the camera has room for the next viewer at once. */
  #leave(): void {
    if (this.#watch.isClosed) return
    this.#watch[Symbol.dispose]()
    const goodbye = this.#translation.goodbye()
    if (goodbye === undefined) return this.#end()
    this.#listener.close()
    this.#ffmpeg?.destroy()
    const end = () => void this.#camera.destroy()
    void this.#dialogue.request(goodbye).then(end, end)
    this.#camera.resume()
    setTimeout(end, LEAVE_MILLISECONDS).unref()
  }

  #end(): void {
    this.#listener.close()
    this.#ffmpeg?.destroy()
    this.#camera.destroy()
  }
}

const visitChunks = (stream: Readable, visit: (chunk: Buffer) => void): unknown =>
  stream.on('data', visit)
