import { Readable } from 'node:stream'
import { brokenConnection } from '../connect.ts'
import { CameraWatch, type CameraLimits } from '../limits/camera-watch.ts'
import { sentenceOf, SourceError, type OpenedSource } from '../opened-source.ts'
import { formatOf, FORMAT_BYTES, inputOf } from './stream-format.ts'

type Pipe = Readonly<{
  /** The bytes of the camera, from the first on. */
  chunks: AsyncGenerator<Buffer>
  contentType: string
  limits: CameraLimits
  /** Ends the connections of the camera. */
  closing: AbortController
}>

/** Pipes what a camera sends into the standard input of ffmpeg; throws a SourceError for a wrong format. */
export async function pipedSource({
  chunks,
  contentType,
  limits,
  closing,
}: Pipe): Promise<OpenedSource> {
  await using stack = new AsyncDisposableStack()
  stack.defer(() => closing.abort())
  const watch = stack.use(new CameraWatch(limits, () => closing.abort()))
  const head = await readHead(chunks, watch)
  const format = formatOf(head, contentType)
  // Until ffmpeg reads, the camera need not send.
  watch.hold()
  const stdin = Readable.from(watched(head, chunks, watch), { objectMode: false })
  stack.defer(() => void stdin.destroy())
  // The reader of a stream that is closed early is not told: it closed it.
  stdin.on('error', () => {})
  const opened = stack.move()
  return {
    input: inputOf(format),
    stdin,
    failure: () => watch.failure,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

/** Reads so much that the format can be told. */
async function readHead(chunks: AsyncGenerator<Buffer>, watch: CameraWatch): Promise<Buffer> {
  let head = Buffer.alloc(0)
  try {
    while (head.length < FORMAT_BYTES) {
      const { value, done } = await chunks.next()
      if (done === true) break
      watch.received(value.length)
      head = Buffer.concat([head, value])
    }
  } catch (error) {
    if (watch.failure === undefined) throw brokenConnection(error)
  }
  if (watch.failure !== undefined) throw new SourceError(watch.failure)
  if (head.length === 0) throw new SourceError('The camera sent nothing.')
  return head
}

/** Passes bytes on until the camera fails, which ends them. */
async function* watched(
  head: Buffer,
  chunks: AsyncGenerator<Buffer>,
  watch: CameraWatch,
): AsyncGenerator<Buffer> {
  try {
    yield head
    watch.release()
    for await (const chunk of chunks) {
      watch.received(chunk.length)
      watch.hold()
      yield chunk
      watch.release()
    }
    watch.fail('The camera ended the stream.')
  } catch (error) {
    watch.fail(sentenceOf(brokenConnection(error)))
  }
}
