/** A body that is accepted, or refused by what is in it, and is as much work as any of its kind. */
export type WorstBody = {
  name: string
  path: string
  type: string
  /** Credentials of an application go with it. */
  isForm?: true
  content(): string | Uint8Array
}

const MEGABYTE = 1024 * 1024
const LINE_FEED = 0x0a
const JSON_TYPE = 'application/json'
const LINES_TYPE = 'application/x-ndjson'

const ingest = (kind: string): string => `/ingest/v1/${kind}`

type Options = { token: string; sensor: string; firstInstant: number; isQuick: boolean }

export function worstBodies({ token, sensor, firstInstant, isQuick }: Options): WorstBody[] {
  const count = isQuick ? 10_000 : 100_000
  const most = (isQuick ? 4 : 31) * MEGABYTE
  const list = (member: string, record: (at: number) => string) => (): string =>
    `{"${member}":[${Array.from({ length: count }, (_, at) => record(at)).join()}]}`
  const lines = (record: (at: number) => string) => (): string =>
    Array.from({ length: count }, (_, at) => record(at)).join('\n')
  const theme = (at: number): string =>
    `{"station":1,"time":${firstInstant + at * 1000},"values":{"v":${at}}}`
  let last = firstInstant
  const fluttering = (at: number): string =>
    `{"station":3,"time":${(last += 1000)},"values":{"v":${(at % 2) * 400}}}`
  const raw = (at: number): string =>
    `{"sensor":"${sensor}","time":${firstInstant + at * 1000},"values":{"v":${at}}}`
  const vehicle = (at: number): string =>
    `{"structure":1,"time":${firstInstant + at * 1000},"id":"${at}","lane":"1","direction":0,"axleCount":2,"load":1.5}`
  const waveform = `collectTime=${firstInstant}&sampleFreq=1000&unit=g&station=1`
  const alarms = `/api/v1/users/1/alarms?token=${token}`
  const thresholds = `/manage/v1/thresholds/backtest?token=${token}`
  const readings = `/manage/v1/stations/1/readings?token=${token}`

  return [
    {
      name: 'form, 256 KB of escapes',
      path: '/api/v1/oauth2/token',
      type: 'application/x-www-form-urlencoded',
      isForm: true,
      content: () => `grant_type=client_credentials${`&a=${'%41'.repeat(850)}`.repeat(95)}`,
    },
    { name: 'alarm list, 256 KB', path: alarms, type: JSON_TYPE, content: () => shapes(250_000) },
    {
      name: 'back-test, 256 KB',
      path: thresholds,
      type: JSON_TYPE,
      content: () => shapes(250_000),
    },
    {
      name: 'manual readings, 2 MB of what is none',
      path: readings,
      type: JSON_TYPE,
      content: () => shapes(1.9 * MEGABYTE, 'records'),
    },
    {
      name: 'manual readings, 10,000 of what is none',
      path: readings,
      type: JSON_TYPE,
      content: () => shapes(1.9 * MEGABYTE, 'records', 20),
    },
    {
      name: 'manual readings, 10,000',
      path: readings,
      type: JSON_TYPE,
      content: () =>
        `{"records":[${Array.from({ length: 10_000 }, (_, at) => `{"time":${firstInstant + at},"values":{"v":1}}`).join()}]}`,
    },
    {
      name: 'theme, most records',
      path: ingest('theme'),
      type: JSON_TYPE,
      content: list('records', theme),
    },
    {
      name: 'theme, most alarms',
      path: ingest('theme'),
      type: JSON_TYPE,
      content: list('records', fluttering),
    },
    {
      name: 'theme, most bytes',
      path: ingest('theme'),
      type: JSON_TYPE,
      content: () => shapes(0.85 * most, 'records', 40),
    },
    {
      name: 'theme, most refused',
      path: ingest('theme'),
      type: JSON_TYPE,
      content: list('records', () => '0'),
    },
    {
      name: 'theme, 100 records of 17,000 nulls',
      path: ingest('theme'),
      type: JSON_TYPE,
      content: () => {
        const nulls = Array.from({ length: 17_000 }, (_, at) => `"${at * 97}":null`).join()
        const wide = `{"station":1,"time":${firstInstant},"values":{${nulls},"v":1}}`
        return `{"records":[${Array.from({ length: isQuick ? 10 : 100 }, () => wide).join()}]}`
      },
    },
    {
      name: 'theme, one line',
      path: ingest('theme'),
      type: LINES_TYPE,
      content: () => `{"a":"${'x'.repeat(most - 100)}"}`,
    },
    { name: 'theme, lines', path: ingest('theme'), type: LINES_TYPE, content: lines(theme) },
    {
      name: 'raw, most records',
      path: ingest('raw'),
      type: JSON_TYPE,
      content: list('records', raw),
    },
    {
      name: 'traffic, most records',
      path: ingest('traffic'),
      type: JSON_TYPE,
      content: list('records', vehicle),
    },
    {
      name: 'heartbeats, most',
      path: ingest('heartbeats'),
      type: JSON_TYPE,
      content: list(
        'devices',
        (at) => `{"device":"${sensor}","time":${firstInstant + at},"error":"e"}`,
      ),
    },
    {
      name: 'vibration, JSON of ten samples a record',
      path: ingest('vibration'),
      type: JSON_TYPE,
      content: () =>
        `{"station":1,"collectTime":${firstInstant},"sampleFreq":1000,"unit":"g","samples":[${Array.from({ length: 10 * count }, (_, at) => (at % 997) / 7).join()}]}`,
    },
    {
      name: 'vibration, bare samples',
      path: ingest(`vibration?encoding=float64&${waveform}`),
      type: 'application/octet-stream',
      content: () =>
        new Uint8Array(Float64Array.from({ length: most / 8 }, (_, at) => Math.sin(at)).buffer),
    },
    {
      name: 'line protocol, most points',
      path: ingest('influx?precision=ms'),
      type: 'text/plain',
      content: lines((at) => `m,sensor=${sensor} v=${at} ${firstInstant + at * 1000}`),
    },
    {
      name: 'line protocol, one line',
      path: ingest('influx'),
      type: 'text/plain',
      content: () => `m,a=${'b'.repeat(most - 100)} v=1`,
    },
    {
      name: 'line protocol, most refused',
      path: ingest('influx'),
      type: 'text/plain',
      content: lines(() => 'm'),
    },
    {
      name: 'line protocol, line feeds',
      path: ingest('influx'),
      type: 'text/plain',
      content: () => new Uint8Array(most).fill(LINE_FEED),
    },
    {
      name: 'line protocol, comments',
      path: ingest('influx'),
      type: 'text/plain',
      content: () => '#\n'.repeat(most / 2),
    },
    {
      name: 'line protocol, lines of 60,000 backslashes',
      path: ingest('influx'),
      type: 'text/plain',
      content: () => `${'\\'.repeat(60_000)}\n`.repeat(most / 60_001),
    },
    {
      name: 'line protocol, points of 3,900 tags',
      path: ingest('influx'),
      type: 'text/plain',
      content: () => {
        const tags = Array.from({ length: 3_900 }, (_, at) => `,t${at}=1`).join('')
        const point = `m,sensor=${sensor}${tags} v=1 1\n`
        return point.repeat(most / point.length)
      },
    },
    {
      name: 'line protocol, bytes that are no text',
      path: ingest('influx'),
      type: 'text/plain',
      content: () => new Uint8Array(most).fill(0xff),
    },
  ]
}

/** Objects of which none is like another, what takes the parser longest, in a list of a body. */
function shapes(bytes: number, member = 'a', keys = 1): string {
  const parts: string[] = []
  for (let length = 0, at = 0; length < bytes - 40 * keys; at++) {
    const inner = Array.from({ length: keys }, (_, key) => `"${(at * keys + key).toString(36)}":1`)
    const part = `{"a${at % 1000}":{${inner.join()}}}`
    length += part.length + 1
    parts.push(part)
  }
  return `{"${member}":[${parts.join()}]}`
}
