import type { Call, HttpResponse, TestService } from '../_service.ts'

export type TestCamera = {
  id: number
  source: string
  standard?: { source?: string; height?: number }
  structure?: number
}

/** A site of two structures with cameras; user 1 sees both, user 2 the second. */
export function siteWith(cameras: readonly TestCamera[], scopeOfTwo = '[2]'): string {
  const ofStructure = (id: number) =>
    cameras
      .filter(({ structure = 1 }) => structure === id)
      .map((one) => `      - ${JSON.stringify(entryOf(one))}\n`)
      .join('')
  return `users:
  - { id: 1, name: All, structures: all }
  - { id: 2, name: 河, structures: ${scopeOfTwo} }
structureTypes:
  - { id: 1, name: Bridge }
factors:
  - { id: 15, name: Strain, items: [{ id: 1, key: strain, name: Strain, unit: µε, precision: 0.1 }] }
structures:
  - id: 1
    name: 东桥
    type: 1
    latitude: 1
    longitude: 2
    timeZone: Asia/Shanghai
    factors:
      - factor: 15
        stations: [{ id: 1001, name: SG-01${cameras.some(({ id }) => id === 1) ? ', camera: 1' : ''} }, { id: 1002, name: SG-02 }]
        thresholds:
          - batchNo: 0d8a2f4e-5c39-4a54-9a53-2f0f5d1f7b11
            stations: [1001, 1002]
            items: [{ item: strain, config: [{ thresholds: [{ level: 1, value: '(200,+)' }] }] }]
    cameras:
${ofStructure(1) || '      []\n'}  - id: 2
    name: River
    type: 1
    latitude: 1
    longitude: 2
    timeZone: Europe/Berlin
    cameras:
${ofStructure(2) || '      []\n'}`
}

const entryOf = ({ id, source, standard }: TestCamera) => ({
  id,
  location: `Camera ${id} 塔`,
  serialNo: `C${id}`,
  type: 'dome',
  source,
  ...(standard === undefined ? {} : { standard }),
})

/** The path of an address that `POST /camera/info` returns. */
export async function addressOf(
  service: TestService,
  token: string,
  asked: { camera: number; protocol?: 'hls' | 'flv'; quality?: 'h' | 'd'; expireTime?: number },
): Promise<string> {
  const { camera, protocol = 'hls', ...others } = asked
  const body = { serialNo: `C${camera}`, protocol, ...others }
  const response = await service.post('/camera/info', token, body)
  if (response.status !== 200) throw new Error(response.text)
  return new URL(response.json().data[`${protocol}_url`]).pathname
}

/** The names of the segments of a playlist. */
export const segmentsOf = ({ text }: Pick<HttpResponse, 'text'>): string[] =>
  text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))

/** A file beside another one of an address. */
export const beside = (path: string, name: string): string => path.replace(/[^/]*$/, name)

/** Waits for a playlist with some segments. */
export async function waitForSegments(
  service: TestService,
  path: string,
  count: number,
  call: Call = {},
): Promise<string[]> {
  const end = performance.now() + 20_000
  for (;;) {
    const response = await service.call(path, call)
    if (response.status !== 200) throw new Error(response.text)
    const names = segmentsOf(response)
    if (names.length >= count) return names
    if (performance.now() > end) throw new Error(`only ${names.length} segments: ${response.text}`)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}
