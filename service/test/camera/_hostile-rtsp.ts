import type { Socket } from 'node:net'
import { startTcpServer, type TestServer } from './_http-camera.ts'

/** What a test server says to one request; it may write more by itself. */
export type Respond = (request: RtspRequest, socket: Socket) => Reply | undefined

export type RtspRequest = {
  method: string
  uri: string
  headers: Readonly<Record<string, string>>
}

export type Reply = {
  status?: number
  headers?: Readonly<Record<string, string | number>>
  body?: string
}

/** The session and the stream of H.264 that a usual camera describes, with a control of its own. */
export const describeVideo = (control = 'trackID=1'): string =>
  [
    'v=0',
    'o=- 1 1 IN IP4 10.9.8.7',
    's=Media',
    'c=IN IP4 0.0.0.0',
    't=0 0',
    'a=control:*',
    'm=video 0 RTP/AVP 96',
    'a=rtpmap:96 H264/90000',
    'a=fmtp:96 packetization-mode=1;profile-level-id=42c00d;sprop-parameter-sets=Z0LADdoFB+wFqDAwNSgAAAMACAAAAwGUeKFV,aM48gA==',
    `a=control:${control}`,
  ].join('\r\n') + '\r\n'

/** The responses of a usual camera. */
export function usualReply({ method }: RtspRequest): Reply {
  if (method === 'OPTIONS')
    return { headers: { Public: 'OPTIONS, DESCRIBE, SETUP, PLAY, GET_PARAMETER, TEARDOWN' } }
  if (method === 'DESCRIBE')
    return { headers: { 'Content-Type': 'application/sdp' }, body: describeVideo() }
  if (method === 'SETUP')
    return {
      headers: {
        Session: '42;timeout=60',
        Transport: 'RTP/AVP/TCP;unicast;interleaved=0-1;ssrc=0badcafe',
      },
    }
  return { headers: { Session: '42' } }
}

/** Behaves in its own way to one method. */
export const at =
  (method: string, respond: Respond): Respond =>
  (request, socket) =>
    request.method === method ? respond(request, socket) : usualReply(request)

/** Sends again and again after the request to play. */
export const afterPlay = (send: (socket: Socket) => void, milliseconds: number): Respond =>
  at('PLAY', (request, socket) => {
    const timer = setInterval(() => send(socket), milliseconds)
    socket.on('close', () => clearInterval(timer))
    return usualReply(request)
  })

/** A camera with RTSP that a test makes behave as it likes. */
export async function startHostileRtsp(
  respond: Respond,
): Promise<TestServer & { requests: RtspRequest[] }> {
  const requests: RtspRequest[] = []
  const server = await startTcpServer((socket) => {
    let text = ''
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1')
      for (let end = text.indexOf('\r\n\r\n'); end !== -1; end = text.indexOf('\r\n\r\n')) {
        const request = parse(text.slice(0, end))
        text = text.slice(end + 4)
        requests.push(request)
        const reply = respond(request, socket)
        if (reply !== undefined && !socket.destroyed) socket.write(format(request, reply))
      }
    })
  })
  return Object.assign(server, { requests })
}

function parse(text: string): RtspRequest {
  // Reports of ffmpeg stand before its requests.
  const [first = '', ...lines] = text
    .slice(Math.max(0, text.search(/[A-Z_]+ rtsps?:/)))
    .split('\r\n')
  const [method = '', uri = ''] = first.split(' ')
  const headers = lines.map((line) => /^([^:]*): *(.*)$/.exec(line) ?? [])
  return {
    method,
    uri,
    headers: Object.fromEntries(
      headers.map(([, name = '', value = '']) => [name.toLowerCase(), value]),
    ),
  }
}

function format(
  { headers: { cseq = '' } }: RtspRequest,
  { status = 200, headers, body = '' }: Reply,
) {
  const all = { CSeq: cseq, ...headers, ...(body === '' ? {} : { 'Content-Length': body.length }) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `RTSP/1.0 ${status} Whatever\r\n${lines.join('')}\r\n${body}`
}

/** A frame of media: a channel, and bytes. */
export function frame(channel: number, bytes: Buffer): Buffer {
  const head = Buffer.from([0x24, channel, 0, 0])
  head.writeUInt16BE(bytes.length, 2)
  return Buffer.concat([head, bytes])
}
