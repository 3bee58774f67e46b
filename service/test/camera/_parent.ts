/** Starts an ffmpeg that waits for its standard input, prints its process id, and stays. */
import { PassThrough } from 'node:stream'
import { fromPipe, startFfmpeg } from './_started-ffmpeg.ts'

const ffmpeg = startFfmpeg({ input: fromPipe('mpegts'), stdin: new PassThrough() })
ffmpeg.ts.resume()
ffmpeg.flv.resume()
console.log(ffmpeg.pid)
setInterval(() => undefined, 60_000)
