import fc from 'fast-check'
import { INTERFACE_OPERATIONS, type Operation } from '@plumbline/contract'
import { requests, type Secrets, type Sent } from '../properties/_requests.ts'
import { collectTime, DAYS, FIRST, HOUR, local } from './_records.ts'

/** From an hour before all records to one behind them, to the second; often whole days. */
const at = fc.oneof(
  fc.nat(DAYS + 2).map((day) => local(FIRST + (day - 1) * 24 * HOUR)),
  fc.nat(DAYS + 2).map((day) => local(FIRST + (day - 1) * 24 * HOUR - 1000)),
  fc.nat(DAYS * 24 * 3600).map((second) => local(FIRST + second * 1000)),
  fc.constantFrom('2020-01-01 00:00:00', '2027-01-01 00:00:00', '2026-03-29 02:30:00'),
)

const window = { startTime: at, endTime: at }
const ever = {
  startTime: fc.constant('2020-01-01 00:00:00'),
  endTime: fc.constant('2027-01-01 00:00:00'),
}
const windows = [ever, window, window] as const

const stations = fc.uniqueArray(
  fc.constantFrom(1001, 1002, 1003, 1004, 1031, 1041, 2001, 2002, 2003),
  {
    minLength: 1,
    maxLength: 9,
  },
)
const limit = fc.constantFrom('1', '2', '7', '64', '1999', '10000')

type Query = Readonly<Record<string, fc.Arbitrary<string>>>
type Shape = {
  path: fc.Arbitrary<string>
  query?: Query
  body?: fc.Arbitrary<unknown>
  needs?: readonly string[]
}

const alarmFilter = {
  structures: fc.constantFrom([1], [2, 1], [], [3]),
  status: fc.constantFrom('new', 'history'),
  levels: fc.constantFrom([1], [2, 3], []),
  types: fc.constantFrom([1], [2, 3], [1, 2, 3, 4, 5]),
  keywords: fc.constantFrom('应变', 'w-0', 'W-0', '_', '%', '', '304', 'İ'),
  ...window,
}

const structure = fc.constantFrom(1, 1, 2, 3)
const factor = fc.constantFrom(15, 15, 17, 18, 33)
const user = fc.constantFrom(1, 1, 1, 2, 3, 9)

/** Requests that mean something in the data, by operation. */
const SHAPES: Readonly<Record<string, readonly Shape[]>> = {
  listStructures: [{ path: fc.constant('/structures') }],
  listFactors: [{ path: structure.map((id) => `/structures/${id}/factors`) }],
  listStations: [
    {
      path: structure.map((id) => `/structures/${id}/stations`),
      query: { factors: fc.constantFrom('15', '33,15', '17', '', '18,17,9') },
      needs: [],
    },
  ],
  listThresholdBatches: [
    {
      path: fc
        .tuple(structure, factor)
        .map(([id, factor]) => `/structures/${id}/factors/${factor}/threshold/batches`),
    },
  ],
  listCameras: [{ path: fc.constant('/user/camera/list') }],
  getCameraInfo: [
    {
      path: fc.constant('/camera/info'),
      body: fc.record(
        {
          serialNo: fc.constantFrom('C30411203', 'C2'),
          protocol: fc.constantFrom('hls', 'flv,hls', 'rtmp'),
          channelNo: fc.constantFrom(1, 3),
          quality: fc.constantFrom('h', 'd'),
          expireTime: fc.constantFrom(30, 86_400),
        },
        { requiredKeys: ['serialNo', 'protocol'] },
      ),
    },
  ],
  getThemeData: [
    ...windows.map((span) => ({
      path: fc.constant('/stations/theme/data'),
      query: { stations: stations.map(String), ...span },
      needs: ['stations', 'startTime', 'endTime'],
    })),
    {
      path: fc.constant('/stations/theme/data'),
      query: { stations: stations.map(String), limit, ...window },
      needs: ['stations', 'limit'],
    },
  ],
  getStationsData: windows.map((span) => ({
    path: fc.constantFrom(
      '/structures/1/factors/15/stations/data',
      '/structures/1/factors/15/stations/data',
      '/structures/2/factors/18/stations/data',
    ),
    query: span,
    body: stations.map((all) => ({ stations: all })),
  })),
  getTrafficFlow: windows.map((span) => ({
    path: fc.constantFrom('/structures/1/traffic-flow', '/structures/2/traffic-flow'),
    query: {
      ...span,
      overload: fc.constantFrom('true', 'false'),
      license: fc.constantFrom('滬', 'B', '_', '%', 'a', 'İ', 'i'),
      loadFloor: fc.constantFrom('0', '30.25', '55.6', '-3'),
    },
    needs: ['startTime', 'endTime'],
  })),
  getVibrationRaw: [
    {
      path: fc.constant('/stations/1031/vibration/raw'),
      query: { collectTime: fc.oneof(collectTime, collectTime, at) },
    },
  ],
  getVibrationFft: [
    {
      path: fc.constant('/stations/1031/vibration/fft'),
      query: { collectTime: fc.oneof(collectTime, collectTime, at) },
    },
  ],
  countAlarms: [
    {
      path: fc
        .tuple(user, fc.constantFrom('new', 'history'))
        .map(([id, status]) => `/users/${id}/alarms/${status}/count`),
    },
  ],
  listAlarms: [
    {
      path: user.map((id) => `/users/${id}/alarms`),
      query: {
        limit: fc.constantFrom('1', '3', '20', '10000'),
        offset: fc.constantFrom('0', '1', '5', '40', '9007199254740991'),
        orderBy: fc.constantFrom('level', 'count', 'startTime', 'endTime'),
        orderDirection: fc.constantFrom('asc', 'desc'),
      },
      needs: [],
      body: fc.record(alarmFilter, { requiredKeys: [] }),
    },
  ],
  listAlarmDetails: [
    { path: fc.integer({ min: 1, max: 80 }).map((id) => `/alarms/${id}/details`) },
  ],
}

function shaped(
  { method, base }: Operation,
  { path, query = {}, body, needs }: Shape,
  token: string,
) {
  return fc
    .record({
      path,
      query: fc.record(query, { requiredKeys: [...(needs ?? Object.keys(query))] }),
      body: body ?? fc.constant(undefined),
      coding: fc.constantFrom('gzip', 'identity'),
    })
    .map((parts): Sent => ({
      path: `${base}${parts.path}?${new URLSearchParams({ ...parts.query, token })}`,
      call: {
        method,
        headers: {
          'accept-encoding': parts.coding,
          ...(parts.body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: parts.body === undefined ? undefined : JSON.stringify(parts.body),
      },
    }))
}

/** A request to any of the 17 operations: one that means something, or anything at all. */
export const questions = (secrets: Secrets): fc.Arbitrary<Sent> =>
  fc.oneof(
    ...INTERFACE_OPERATIONS.flatMap((operation) => {
      const shapes = SHAPES[operation.operationId] ?? []
      return [
        { weight: 4, arbitrary: requests(operation, secrets) },
        ...shapes.map((shape) => ({
          weight: Math.ceil(16 / shapes.length),
          arbitrary: shaped(operation, shape, secrets.token),
        })),
      ]
    }),
  )
