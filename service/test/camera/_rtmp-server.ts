import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { needPackages } from '../_debian.ts'
import { eventually } from '../_eventually.ts'
import { freePort } from '../_service.ts'
import { videoPath } from './_videos.ts'

const HANDSHAKE_BYTES = 1536

const [AMF_STRING, AMF_OBJECT, AMF_NULL, AMF_END] = [2, 3, 5, 9]
const [COMMAND, CHUNK_STREAM, CHUNK_BYTES, CONTINUED] = [0x14, 3, 128, 0xc0]

/** nginx with RTMP, and a stream that ffmpeg publishes there as a camera does. */
export async function startRtmpServer(path: string): Promise<AsyncDisposable & { port: number }> {
  await needPackages('nginx-light', 'libnginx-mod-rtmp')
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-rtmp-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const port = await freePort()
  await writeFile(join(folder, 'nginx.conf'), nginxConfig(folder, port))
  const nginx = ['-p', folder, '-c', 'nginx.conf', '-e', 'stderr', '-g', 'daemon off;']
  stack.use(start('/usr/sbin/nginx', nginx))
  await eventually(() => canConnect(port))
  const video = await videoPath('flv', 30)
  const publish = `-loglevel error -nostdin -re -i ${video} -c copy -f flv`.split(' ')
  stack.use(start('ffmpeg', [...publish, `rtmp://127.0.0.1:${port}${path}`]))
  const started = stack.move()
  return { port, [Symbol.asyncDispose]: () => started.disposeAsync() }
}

const nginxConfig = (folder: string, port: number): string => `
  load_module /usr/lib/nginx/modules/ngx_rtmp_module.so;
  master_process off;
  pid ${folder}/nginx.pid;
  error_log stderr error;
  events {}
  rtmp { server { listen 127.0.0.1:${port}; application live { live on; } } }
`

/** A process that ends with the test process. */
function start(command: string, args: readonly string[]): AsyncDisposable {
  const started = spawn(command, args, { stdio: 'ignore' })
  const endWithUs = () => started.kill('SIGKILL')
  process.once('exit', endWithUs)
  const exit = once(started, 'exit').finally(() => process.off('exit', endWithUs))
  return {
    async [Symbol.asyncDispose]() {
      started.kill('SIGKILL')
      await exit
    },
  }
}

async function canConnect(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.destroy()
}

/** Answers the handshake of a client, which then asks to connect, and acts. */
export function afterHandshake(socket: Socket, act: () => void): void {
  const bytes: Buffer[] = []
  let step: 'hello' | 'confirmation' | 'asked' = 'hello'
  socket.on('data', (chunk: Buffer) => {
    bytes.push(chunk)
    const all = Buffer.concat(bytes)
    if (step === 'hello' && all.length >= 1 + HANDSHAKE_BYTES) {
      step = 'confirmation'
      // Zeros are of a server that signs nothing.
      socket.write(Buffer.concat([all.subarray(0, 1), Buffer.alloc(2 * HANDSHAKE_BYTES)]))
    }
    if (step === 'confirmation' && all.length > 1 + 2 * HANDSHAKE_BYTES) {
      step = 'asked'
      act()
    }
  })
}

/** A message by which a server refuses to connect, and names another one. */
export function redirection(url: string): Buffer {
  const body = Buffer.concat([
    amf('_error'),
    amf(1),
    Buffer.from([AMF_NULL]),
    amf({
      level: 'error',
      code: 'NetConnection.Connect.Rejected',
      description: '[ AccessManager.Reject ] : [ code=302 ] : redirect',
      ex: { code: 302, redirect: url },
    }),
  ])
  const head = Buffer.alloc(12)
  head.writeUInt8(CHUNK_STREAM)
  head.writeUIntBE(body.length, 4, 3)
  head.writeUInt8(COMMAND, 7)
  const chunks = Array.from({ length: Math.ceil(body.length / CHUNK_BYTES) }, (_, at) => [
    at === 0 ? head : Buffer.from([CONTINUED | CHUNK_STREAM]),
    body.subarray(at * CHUNK_BYTES, (at + 1) * CHUNK_BYTES),
  ])
  return Buffer.concat(chunks.flat())
}

type AmfValue = string | number | { [name: string]: AmfValue }

/** A value of AMF 0. */
function amf(value: AmfValue): Buffer {
  if (typeof value === 'string') return Buffer.concat([Buffer.from([AMF_STRING]), text(value)])
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(9)
    bytes.writeDoubleBE(value, 1)
    return bytes
  }
  const members = Object.entries(value).flatMap(([name, member]) => [text(name), amf(member)])
  return Buffer.concat([Buffer.from([AMF_OBJECT]), ...members, Buffer.from([0, 0, AMF_END])])
}

function text(value: string): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(value.length)
  return Buffer.concat([length, Buffer.from(value, 'latin1')])
}
