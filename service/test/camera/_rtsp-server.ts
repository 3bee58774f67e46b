import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { needPackages } from '../_debian.ts'

const PROGRAM = fileURLToPath(new URL('_rtsp-server.py', import.meta.url))

/** GStreamer with its RTSP server, and with Python to write one in. */
const PACKAGES = [
  'python3-gi',
  'gir1.2-gst-rtsp-server-1.0',
  'gstreamer1.0-plugins-base',
  'gstreamer1.0-plugins-good',
  'gstreamer1.0-plugins-bad',
  'gstreamer1.0-plugins-ugly',
  'gstreamer1.0-x',
]

export type RtspServerOptions = {
  codec?: 'h264' | 'h265' | 'mjpeg'
  size?: readonly [width: number, height: number]
  /** Pictures a second. */
  rate?: number
  /** Pictures from one that stands for itself to the next. */
  gop?: number
  /** With a user and a password, a camera that asks for them by this scheme. */
  scheme?: 'digest' | 'basic'
  user?: string
  password?: string
}

export type RtspServer = AsyncDisposable & {
  port: number
  /** The address of its stream, with user and password if it asks for them. */
  url: string
}

/** A camera with a moving picture and silent sound; ends with the test process, also when that fails. */
export async function startRtspServer({
  codec = 'h264',
  size: [width, height] = [320, 240],
  rate = 25,
  gop = 25,
  scheme = 'digest',
  user,
  password = '',
}: RtspServerOptions = {}): Promise<RtspServer> {
  await needPackages(...PACKAGES)
  const login = user === undefined ? ['none', '', ''] : [scheme, user, password]
  // The Python of Debian, for which its packages are.
  const server = spawn(
    '/usr/bin/python3',
    [PROGRAM, codec, ...[width, height, rate, gop].map(String), ...login],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  )
  const { value } = await createInterface({ input: server.stdout })[Symbol.asyncIterator]().next()
  const port = Number(value)
  if (!(port > 0)) throw new Error('The RTSP server did not start.')
  const place =
    user === undefined ? '' : `${encodeURIComponent(user)}:${encodeURIComponent(password)}@`
  return {
    port,
    url: `rtsp://${place}127.0.0.1:${port}/cam`,
    async [Symbol.asyncDispose]() {
      const exit = once(server, 'exit')
      if (server.exitCode === null && server.kill('SIGKILL')) await exit
    },
  }
}
