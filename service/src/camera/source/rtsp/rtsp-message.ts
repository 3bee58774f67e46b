/** A request or a response of RTSP; names of headers are in lower case. */
export type RtspMessage = Readonly<{
  start: string
  headers: ReadonlyMap<string, readonly string[]>
  body: Buffer
}>

/** Header lines of a message: the name and the value; an undefined one is left out. */
export type RtspHeaders = Readonly<Record<string, string | number | undefined>>

/** Reads the lines before the body. */
export function parseHead(text: string): Omit<RtspMessage, 'body'> {
  const [start = '', ...lines] = text.split(/\r?\n/)
  const headers = new Map<string, string[]>()
  for (const line of lines) {
    const colon = line.indexOf(':')
    if (colon === -1) continue
    const name = line.slice(0, colon).trim().toLowerCase()
    const values = headers.get(name) ?? []
    headers.set(name, [...values, line.slice(colon + 1).trim()])
  }
  return { start, headers }
}

/** The first value of a header. */
export const headerOf = (
  { headers }: Pick<RtspMessage, 'headers'>,
  name: string,
): string | undefined => headers.get(name)?.[0]

/** The status of a response; undefined for a request. */
export function statusOf({ start }: Pick<RtspMessage, 'start'>): number | undefined {
  const [, status] = /^RTSP\/\d\.\d (\d{3})\b/.exec(start) ?? []
  return status === undefined ? undefined : Number(status)
}

/** Writes a message; line ends and other control characters of values are left out. */
export function formatMessage(start: string, headers: RtspHeaders, body = ''): Buffer {
  const lines = Object.entries({
    ...headers,
    'Content-Length': body === '' ? undefined : Buffer.byteLength(body, 'latin1'),
  })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${String(value).replaceAll(/\p{Cc}/gu, '')}\r\n`)
  return Buffer.from(`${start}\r\n${lines.join('')}\r\n${body}`, 'latin1')
}
