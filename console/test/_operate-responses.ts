import type {
  Application,
  Change,
  Deliveries,
  Import,
  IngestKey,
  Intake,
  Maintenance,
  Rejects,
  Status,
} from '../../client/src/index.ts'

/** 2026-11-25 14:00:00 UTC. */
export const NOW = Date.UTC(2026, 10, 25, 14)
const HOUR = 3_600_000
const DAY = 24 * HOUR

export const STATUS: Status = {
  version: '0.1.0',
  startedAt: NOW - 12 * DAY,
  time: NOW,
  problem: null,
  storage: {
    engine: 'SQLite',
    databaseBytes: 48_213_934_080,
    logBytes: 4_194_304,
    pendingMigrations: 0,
  },
  disk: {
    state: 'low',
    freeBytes: 18_400_000_000,
    warnBytes: 21_474_836_480,
    stopBytes: 1_073_741_824,
  },
  clock: { isConfirmed: true, countsFrom: null, leftMilliseconds: 0 },
  backup: {
    to: '/mnt/backup/plumbline',
    everyHours: 24,
    isOverdue: false,
    failure: null,
    last: {
      backup: '2026-11-25T02-00-00Z',
      instant: '2026-11-25T02:00:00Z',
      bytes: 48_100_000_000,
      seconds: 341.2,
    },
    verifiedAt: '2026-11-22T02:11:09Z',
  },
  continuousCopy: {
    to: '/mnt/copy/plumbline',
    state: 'follows',
    copiedThrough: NOW - 3000,
    problem: null,
    isOnSameDisk: false,
  },
  certificate: { endsAt: NOW + 9 * DAY },
  cameras: {
    ffmpeg: '',
    streams: [
      { name: 'East pylon', state: 'running', viewers: 2, restarts: 0, problem: null },
      {
        name: 'Midspan, downstream',
        state: 'waiting',
        viewers: 0,
        restarts: 14,
        problem: 'The camera does not accept connections.',
      },
    ],
  },
  workers: {
    wanted: 2,
    answering: 2,
    restarts: 1,
    processes: [
      { pid: 4021, answers: true, connections: 12, memoryBytes: 214_000_000, cpuSeconds: 10_212 },
      { pid: 4022, answers: true, connections: 9, memoryBytes: 198_000_000, cpuSeconds: 9822.4 },
    ],
  },
  channels: [],
  lostLogLines: 0,
}

export const INTAKE: Intake = {
  problem: null,
  sources: [
    {
      origin: 'mqtt site',
      connections: 1,
      connected: 1,
      messages: 1_203_311,
      records: 4_812_044,
      replaced: 122,
      rejected: 9,
    },
    {
      origin: 'mqtt east gateway',
      connections: 2,
      connected: 1,
      messages: 20_117,
      records: 20_001,
      replaced: 0,
      rejected: 116,
    },
    {
      origin: 'http records',
      connections: null,
      connected: null,
      messages: 311,
      records: 44_210,
      replaced: 12,
      rejected: 0,
    },
  ],
  folders: [
    {
      origin: 'file /srv/loggers/cr6-east',
      pattern: '*.dat',
      state: 'caught up',
      problem: null,
      files: 214,
      filesRejected: 1,
      rejectedFiles: [{ file: 'table2.dat', problem: 'The header has no line of units.' }],
      bytesBehind: 0,
      lastRecordTime: NOW - 60_000,
      lastStoredAt: NOW - 55_000,
      records: 3_110_402,
      replaced: 0,
      rejected: 4,
    },
    {
      origin: 'file /srv/loggers/cr6-west',
      pattern: '*.dat',
      state: 'unreadable',
      problem: 'The folder does not exist.',
      files: 0,
      filesRejected: 0,
      rejectedFiles: [],
      bytesBehind: 12_400_000,
      lastRecordTime: null,
      lastStoredAt: null,
      records: 0,
      replaced: 0,
      rejected: 0,
    },
  ],
  rejects: [{ origin: 'mqtt east gateway', kept: 116, dropped: 0 }],
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')

export const REJECTS: Rejects = {
  origins: [
    { origin: 'mqtt east gateway', kept: 2, dropped: 0 },
    { origin: 'file cr6-east.dat', kept: 1, dropped: 0 },
  ],
  rejects: [
    {
      id: 31,
      origin: 'mqtt east gateway',
      place: 'bridge/7/strain',
      reason: 'Station 1044 has no item "strian". It has: strain, temperature.',
      receivedAt: NOW - 2 * HOUR,
      payload: base64('{"station": 1044, "time": "2026-11-25 12:00:00", "strian": -481.28}'),
    },
    {
      id: 30,
      origin: 'mqtt east gateway',
      place: 'bridge/7/strain',
      reason: 'The time 2062-11-25 11:50:00 is in the future.',
      receivedAt: NOW - 3 * HOUR,
      payload: base64('{"station": 1044, "time": "2062-11-25 11:50:00", "strain": -480.9}'),
    },
    {
      id: 12,
      origin: 'file cr6-east.dat',
      place: 'line 4012',
      reason: '"NAN" in the column Strain_Avg(1) is no number.',
      receivedAt: NOW - 3 * DAY,
      payload: Buffer.from([0, 1, 2, 254, 255]).toString('base64'),
    },
  ],
}

export const importOf = (changes: Partial<Import>): Import => ({
  id: 8,
  name: 'cr6-east-2026-10.dat',
  state: 'done',
  isDryRun: false,
  createdAt: NOW - HOUR,
  endedAt: NOW - HOUR + 90_000,
  bytes: 48_120_000,
  member: null,
  memberBytes: null,
  readBytes: 48_120_000,
  change: 3,
  isWhole: true,
  isAmbiguous: false,
  lines: [
    'cr6-east-2026-10.dat: 44,640 rows read, 89,280 values in them; 44,640 records stored.',
    '  station 1002 (Midspan): 44,640 records from 2026-10-01 00:00:00 to 2026-10-31 23:59:00',
  ],
  problem: null,
  ...changes,
})

export const IMPORTS: { imports: Import[] } = {
  imports: [
    importOf({
      id: 11,
      name: 'pylon-2025.zip',
      state: 'running',
      member: '2025-03.csv',
      memberBytes: 10_000_000,
      readBytes: 4_200_000,
      change: 4,
      endedAt: null,
      isWhole: null,
      isAmbiguous: null,
      lines: [],
    }),
    importOf({
      id: 10,
      name: 'load-test.csv',
      isWhole: false,
      change: 2,
      lines: ['load-test.csv: 144 rows read; 140 records stored.', '  4 rows rejected: no number'],
    }),
    importOf({
      id: 9,
      name: 'notes.csv',
      state: 'failed',
      change: null,
      isWhole: false,
      lines: [],
      problem: 'Line 1 has no column "Strain_Avg(1)". It has: TIMESTAMP, RECORD.',
    }),
    importOf({}),
  ],
}

const changeOf = (changes: Partial<Change>): Change => ({
  id: 3,
  kind: 'import',
  description: 'cr6-east-2026-10.dat',
  startedAt: NOW - HOUR,
  finishedAt: NOW - HOUR + 90_000,
  undoneAt: null,
  undoUntil: NOW + 29 * DAY,
  records: 44_640,
  waveforms: 0,
  ...changes,
})

export const CHANGES: { changes: Change[] } = {
  changes: [
    changeOf({ id: 4, description: 'pylon-2025.zip', finishedAt: null, records: 120_221 }),
    changeOf({}),
    changeOf({ id: 2, description: 'load-test.csv', records: 140 }),
    changeOf({
      id: 1,
      kind: 'recompute',
      description: 'station 1002, 2026-01-01 to 2026-02-01',
      undoneAt: NOW - DAY,
      undoUntil: null,
    }),
  ],
}

export const DELIVERIES: Deliveries = {
  channels: [
    { channel: 'mail', isConfigured: true, waiting: 0, waitingSince: null, givenUp: 0 },
    { channel: 'duty', isConfigured: true, waiting: 2, waitingSince: NOW - HOUR, givenUp: 0 },
  ],
  deliveries: [
    {
      id: 9,
      kind: 'alarm',
      alarm: 412,
      step: 0,
      structure: 1,
      channel: 'duty',
      rules: ['Level 1 and 2'],
      state: 'waiting',
      attempts: 4,
      createdAt: NOW - HOUR,
      nextAt: NOW + 60_000,
      lastError: 'The server answered 503 Service Unavailable.',
      reason: null,
      deliveredAt: null,
    },
    {
      id: 8,
      kind: 'alarm',
      alarm: 411,
      step: 1,
      structure: 1,
      channel: 'mail',
      rules: ['All'],
      state: 'suppressed',
      attempts: 0,
      createdAt: NOW - 2 * HOUR,
      nextAt: NOW - 2 * HOUR,
      lastError: null,
      reason: 'maintenance window 2',
      deliveredAt: null,
    },
    {
      id: 7,
      kind: 'summary',
      alarm: null,
      step: null,
      structure: null,
      channel: 'mail',
      rules: ['Daily'],
      state: 'delivered',
      attempts: 1,
      createdAt: NOW - DAY,
      nextAt: NOW - DAY,
      lastError: null,
      reason: null,
      deliveredAt: NOW - DAY + 2000,
    },
  ],
}

export const WINDOWS: { windows: Maintenance[] } = {
  windows: [
    {
      id: 2,
      structures: [1],
      stations: [],
      startsAt: NOW - HOUR,
      endsAt: 4e12,
      reason: 'Tightening of the hangers 4 to 9, Müller & Sons',
      createdAt: NOW - DAY,
      endedAt: null,
    },
  ],
}

export const APPLICATIONS: { applications: Application[] } = {
  applications: [
    {
      appId: '0a1b4c1e-52c8-4f4c-9a2d-1f6a5d2c7e10',
      userId: 1,
      name: 'Monthly report',
      scope: 'read',
      createdAt: NOW - 200 * DAY,
      revokedAt: null,
    },
    {
      appId: '7d4e2b90-7a55-4f3b-8f0e-c1b0a7e93d21',
      userId: 1,
      name: 'Control room',
      scope: 'operate',
      createdAt: NOW - 90 * DAY,
      revokedAt: null,
    },
    {
      appId: '97c1f0aa-1c7e-4c0a-b3a6-2e0d3f4b5c6d',
      userId: 2,
      name: 'Old tablet',
      scope: 'read',
      createdAt: NOW - 400 * DAY,
      revokedAt: NOW - 30 * DAY,
    },
  ],
}

export const KEYS: { keys: IngestKey[] } = {
  keys: [
    {
      name: 'gateway east pylon',
      targets: { structures: [], stations: [1001, 1002, 1044], sensors: [] },
      createdAt: NOW - 300 * DAY,
      revokedAt: null,
    },
    { name: 'commissioning', targets: null, createdAt: NOW - 20 * DAY, revokedAt: null },
  ],
}
